"""Choices of one world: a generator of random numbers, and the rows that this world must try to have."""
import random

import mistakes

# How many worlds make mistakes. In all others every command is meant to succeed.
RECKLESS = 0.25


def is_reckless(seed):
    return random.Random(seed).random() < RECKLESS


class Choice:
    """Decides by chance. `focus` are rows that are chosen whenever they are asked for."""

    def __init__(self, seed, focus=()):
        self.random = random.Random(seed)
        self.focus = set(focus)
        self.reckless = self.random.random() < RECKLESS
        if not self.reckless:
            self.focus = mistakes.with_needed({row for row in self.focus if not mistakes.always_fails(row)})
        self.taken = set()  # rows without a block of their own, such as forms of files

    def use(self, row, chance):
        """Whether the world has a row here. It counts as taken then."""
        if not self.reckless and mistakes.always_fails(row):
            return False
        if self.random.random() < chance or row in self.focus and self.random.random() < 0.9:
            self.taken.add(row)
            return True
        return False

    def wants(self, prefix):
        """The rows of the focus that begin so."""
        return sorted(row for row in self.focus if row.startswith(prefix))

    def odd(self, good, bad, chance=0.2):
        """One of the good values, or in a reckless world now and then a bad one."""
        return self.random.choice(list(bad if self.reckless and self.random.random() < chance else good))

    def pick(self, values):
        return self.random.choice(list(values))

    def weighted(self, pairs):
        """One of (value, weight), those of the focus far more often. A value that is a row counts as one."""
        values = [value for value, _ in pairs]
        return self.random.choices(values, [weight * (40 if value in self.focus else 1) for value, weight in pairs])[0]
