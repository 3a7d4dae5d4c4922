"""Short texts for a character model, written for this lab: few words that come again in other company."""

CHINESE_TEXT = """\
小猫住在河边，小狗住在山上。早上，小猫去找小狗，小狗也去找小猫。
小猫走过桥，小狗走下山，它们在树下见面了。
小猫说：“今天天气真好，我们去河边吧。”小狗说：“好，我们去河边看鱼。”
河里有很多鱼，大鱼在水下，小鱼在水上。小猫想抓小鱼，小鱼游走了。小狗想抓大鱼，大鱼也游走了。
小猫说：“鱼游得真快。”小狗说：“我们跑得也快，可是我们不会游。”
中午，太阳很大，小猫和小狗在树下睡觉。树上有一只小鸟，小鸟在唱歌。
小鸟说：“小猫，小狗，你们看见我的朋友了吗？”小猫说：“我们没有看见你的朋友。”小狗说：“我们去找你的朋友吧。”
小猫去河边找，小狗去山上找，小鸟在树上找。小猫没有找到，小狗没有找到，小鸟也没有找到。
下午，下雨了。小猫跑到桥下，小狗跑到桥下，小鸟也飞到桥下。桥下有一只小鸟，它在睡觉。
小鸟说：“这是我的朋友。”小猫说：“我们找到你的朋友了。”小狗说：“今天真好。”
晚上，雨停了，月亮出来了。小猫走过桥，小狗走上山，小鸟和朋友飞到树上。
小猫说：“明天见。”小狗说：“明天见。”小鸟说：“明天我们去河边看鱼。”
"""

ENGLISH_TEXT = """\
the cat lives by the river and the dog lives on the hill.
in the morning the cat goes to find the dog and the dog goes to find the cat.
the cat walks over the bridge, the dog walks down the hill, and they meet under the tree.
the cat says: it is a good day, let us go to the river.
the dog says: good, let us go to the river and look at the fish.
there are many fish in the river. the big fish swim below and the small fish swim above.
the cat wants to catch a small fish, but the small fish swims away.
the dog wants to catch a big fish, but the big fish swims away.
the cat says: the fish are fast. the dog says: we are fast, but we do not swim.
at noon the sun is high and the cat and the dog sleep under the tree.
there is a bird in the tree and the bird sings.
the bird says: cat, dog, did you see my friend? the cat says: we did not see your friend.
the dog says: let us go and find your friend.
the cat looks by the river, the dog looks on the hill and the bird looks in the tree.
the cat does not find the friend and the dog does not find the friend.
then it rains. the cat runs under the bridge, the dog runs under the bridge and the bird flies under the bridge.
there is a bird under the bridge and it sleeps. the bird says: this is my friend.
the cat says: we did find your friend. the dog says: it is a good day.
in the evening the rain ends and the moon is high.
the cat walks over the bridge, the dog walks up the hill and the birds fly to the tree.
"""
