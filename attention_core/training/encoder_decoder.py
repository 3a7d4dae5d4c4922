"""A recurrent encoder and decoder, with the last state alone between them or with additive attention to every state."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.embedding import generator_for
from attention_core.variants.additive import attend_additive

MOST_WIDE, MOST_LENGTH = 128, 64


@dataclass(frozen=True, eq=False)
class Decoded:
    """What a decoder said.

    Attributes:
        weights: What each step gave to each state of the encoder; None without attention.
    """

    logits: Float[Tensor, "B N vocab"]
    weights: Float[Tensor, "B N M"] | None


class EncoderDecoder(nn.Module):
    """Read a row of tokens with one GRU, write another row with a second.

        h_m = GRU(h_{m−1}, table[x_m]),  s_0 = h_M,  s_n = GRU(s_{n−1}, [table[y_{n−1}], c_n]),  logits = [s_n, c_n] w_out
        c_n = additive attention of s_{n−1} to h_1 … h_M, or nothing

    Args:
        n_words: Words of both rows; one more begins each answer.
        has_attention: Without it the last state of the encoder is all that the decoder learns of the input.
        seed: Of the weights; both kinds begin with the same numbers wherever they have the same matrix.

    Raises:
        ValueError: sizes out of their range.

    Example:
        >>> model = EncoderDecoder(5, 8, has_attention=True, seed=0)
        >>> found = model.write(torch.zeros(2, 3, dtype=torch.long), 4)
        >>> tuple(found.logits.shape), tuple(found.weights.shape)
        ((2, 4, 6), (2, 4, 3))

    Source: Cho et al. 2014 and Sutskever et al. 2014 (the last state alone); Bahdanau et al. 2015, section 3.1 and appendix A.
    """

    def __init__(self, n_words: int, d_model: int, *, has_attention: bool, seed: int) -> None:
        super().__init__()
        if not 1 <= d_model <= MOST_WIDE or n_words < 1:
            raise ValueError(
                f"d_model must be from 1 to {MOST_WIDE} and n_words at least 1, got {d_model} and {n_words}"
            )
        self.begin, self.has_attention = n_words, has_attention
        self.table = nn.Embedding(n_words + 1, d_model)
        self.encoder = nn.GRU(d_model, d_model, batch_first=True)
        reads = 2 * d_model if has_attention else d_model
        self.decoder = nn.GRUCell(reads, d_model)
        self.w_out = nn.Linear(reads, n_words + 1)
        if has_attention:
            for name, shape in (
                ("w_q", (d_model, d_model)),
                ("w_k", (d_model, d_model)),
                ("w_score", (d_model,)),
            ):
                self.register_parameter(name, nn.Parameter(torch.empty(shape)))
        with torch.no_grad():
            for name, p in self.named_parameters():
                spread = 1.0 if name.startswith("table") else d_model**-0.5
                generator = generator_for(f"{seed}\0encoder-decoder\0{name}")
                p.copy_(torch.randn(p.shape, generator=generator) * spread)

    def forward(self, tokens: Int[Tensor, "B M"], answers: Int[Tensor, "B N"]) -> Decoded:
        """Read the tokens and say each answer, told the right ones before it: what training runs."""
        begin = torch.full_like(answers[:, :1], self.begin)
        before = torch.cat([begin, answers[:, :-1]], dim=1)
        return self._decode(tokens, before.unbind(1))

    def write(self, tokens: Int[Tensor, "B M"], n_new: int) -> Decoded:
        """Read the tokens and write on by oneself: each step reads what the one before has said.

        Raises:
            ValueError: more to write than MOST_LENGTH.
        """
        if not 1 <= n_new <= MOST_LENGTH:
            raise ValueError(f"n_new must lie within 1 and {MOST_LENGTH}, got {n_new}")
        with torch.no_grad():
            return self._decode(tokens, [None] * n_new)

    def _decode(self, tokens: Int[Tensor, "B M"], before: Sequence[Int[Tensor, " B"] | None]) -> Decoded:
        """Go step by step; where a step is not told what was said before it, it takes its own word."""
        states, last = self.encoder(self.table(tokens))
        state, said, logits, weights = last[0], torch.full_like(tokens[:, 0], self.begin), [], []
        for told in before:
            read = [self.table(said if told is None else told)]
            context = []
            if self.has_attention:
                trace = attend_additive(state[:, None], states, states, self.w_q, self.w_k, self.w_score)
                weights.append(trace.weights[:, 0])
                context = [trace.out[:, 0]]
            state = self.decoder(torch.cat(read + context, dim=-1), state)
            logits.append(self.w_out(torch.cat([state, *context], dim=-1)))
            said = logits[-1].argmax(dim=-1)
        return Decoded(torch.stack(logits, dim=1), torch.stack(weights, dim=1) if weights else None)
