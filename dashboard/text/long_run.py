"""Words of what runs long: how it stands, what it was measured on."""

from dashboard.text import Text

START = Text(zh="开始", en="Start")
START_HELP = Text(
    zh="在运行这个网站的服务器上测，不是在你的电脑上。测的时候可以继续看别的，随时可以停。",
    en="It runs on the server of this site, not on your computer. You can go on reading, and stop it at any time.",
)
AGAIN = Text(zh="重新测一次", en="Measure again")
STOP = Text(zh="停止", en="Stop")
STOP_HELP = Text(zh="马上停，已经测到的留着。", en="Stops at once and keeps what it has given so far.")

STOPS_ANOTHER = Text(
    zh="你在别的页面或视图里开始的测量还没有结束。每人一次只测一个：在这里开始，那一个就停下，测到的留着。",
    en="A run that you started in another view or lesson has not ended yet. Each visitor has one at a time: starting here stops that "
    "one, which keeps what it has given so far.",
)
NOTHING = Text(zh="还没有测过。", en="Nothing has been measured yet.")
WAITING_ONE = Text(
    zh="排队中：前面还有 1 个，轮到了会自己开始。",
    en="Waiting: 1 run is ahead. This one then starts by itself.",
)
WAITING = Text(
    zh="排队中：前面还有 %(ahead)d 个，轮到了会自己开始。",
    en="Waiting: %(ahead)d runs are ahead. This one then starts by itself.",
)
STARTING = Text(zh="正在启动。", en="Starting.")
RUNNING = Text(
    zh="正在测：完成 %(given)d 步，共 %(steps)d 步，用了 %(seconds)s 秒。",
    en="Running: %(given)d of %(steps)d steps done, %(seconds)s s so far.",
)
DONE_ONE = Text(zh="测完了：1 步，用了 %(seconds)s 秒。", en="Done: 1 step in %(seconds)s s.")
DONE = Text(zh="测完了：%(given)d 步，用了 %(seconds)s 秒。", en="Done: %(given)d steps in %(seconds)s s.")
STOPPED = Text(
    zh="已停止：完成 %(given)d 步，共 %(steps)d 步。测到的都留着。",
    en="Stopped with %(given)d of %(steps)d steps done; what they gave is kept.",
)
GONE = Text(
    zh="连接断开超过 %(away)g 秒，测量停了：完成 %(given)d 步，共 %(steps)d 步。",
    en="Ended with %(given)d of %(steps)d steps done, for the connection was away for more than %(away)g s.",
)
LATE = Text(
    zh="一次最多 %(limit)g 秒，到时间停了：完成 %(given)d 步，共 %(steps)d 步。测到的都留着。",
    en="Ended with %(given)d of %(steps)d steps done: a run may take %(limit)g s. What they gave is kept.",
)
FAILED = Text(
    zh="测到一半出错了：完成 %(given)d 步，共 %(steps)d 步。错误是 %(error)s",
    en="Failed with %(given)d of %(steps)d steps done. The error is %(error)s",
)
FULL = Text(
    zh="排队的已有 %(waiting)d 个，最多 %(most)d 个，这次没有排上。过一会儿再试。",
    en="%(waiting)d runs are in the queue and %(most)d may be, so this one was not taken. Try again in a while.",
)
PROVENANCE = Text(
    zh="实测，%(when)s，%(processor)s，处理器核 %(cores)d 个，torch 线程 %(threads)d 个，Python %(python)s，torch %(torch)s",
    en="Measured %(when)s on %(processor)s; processor cores: %(cores)d, threads of torch: %(threads)d; Python %(python)s, "
    "torch %(torch)s",
)
CACHED = Text(
    zh="这是服务器上已有的一次，设置相同，不是你刚才测的。",
    en="An earlier run of this server with the same settings, not one that you have just made.",
)
OFFER = Text(
    zh="同样的设置，这台服务器在 %(when)s 测过一次。",
    en="This server measured the same settings at %(when)s.",
)
BUSY_ONE = Text(zh="现在有 1 个别的测量在跑或在排队。", en="At present 1 other run goes on or waits.")
BUSY = Text(
    zh="现在有 %(others)d 个别的测量在跑或在排队。", en="At present %(others)d other runs go on or wait."
)
TAKE = Text(zh="用那次的结果", en="Show that result")
