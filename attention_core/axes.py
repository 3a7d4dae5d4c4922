"""The one alphabet of shapes: every axis name an annotation may use, and what it means."""

AXES: dict[str, str] = {
    "B": "any leading batch axes",
    "B_q": "leading axes of the queries, heads among them",
    "B_k": "leading axes of keys and values, heads among them",
    "H": "query heads",
    "H_kv": "key/value heads",
    "G": "query heads per key/value head, H / H_kv",
    "N": "query positions",
    "M": "key positions; self-attention has M = N",
    "d_model": "width of the vectors that enter and leave a layer",
    "d_model_k": "width of the vectors keys are projected from, where it is not d_model",
    "d_model_v": "width of the vectors values are projected from, where it is not d_model",
    "d_k": "width of one head's queries and keys",
    "d_v": "width of one head's values",
    "H_d_k": "the query heads side by side, H · d_k",
    "H_kv_d_k": "the key heads side by side, H_kv · d_k",
    "H_kv_d_v": "the value heads side by side, H_kv · d_v",
    "H_d_v": "the heads' outputs side by side, H · d_v",
    "d_ff": "width inside a feed-forward layer",
    "d_phi": "width of a feature map in linear attention",
    "vocab": "entries of the vocabulary",
}
