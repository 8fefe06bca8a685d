"""Fits `daemon/memory/src/policy/suspect/weights.toml` and `weights.bin`.

    target/release/helix-bench --features /tmp/features.tsv suspects
    python3 tests/fit-suspects.py /tmp/features.tsv daemon/memory/src/policy/suspect

Needs numpy, scipy and scikit-learn. Trains a logistic regression on the sets `fit`, `check` and `more` and on the plain lines. The
threshold is where cross-validation on `fit` and `check` suspects INNOCENT_MAX of the innocent texts; `held` and `blind` are only told.
"""

import random
import sys
from collections import defaultdict

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

WORDS = 1 << 16
FITTED = ("fit", "check", "more", "plain")
JUDGED = ("fit", "check")
INNOCENT_MAX = 0.01
C = 10  # inverse strength of the regularisation
MARK = 0.5  # what a class or a reason counts beside all words of a passage together
STEPS = 127
JOINED = 2  # passages that each text is joined to, as it may stand among others
PLAIN_JOINED = 0.15  # share of the plain lines that are


def read(path):
    """Texts by number: set, whether it is orders, and the features of its passages."""
    texts = defaultdict(lambda: [None, None, []])
    for line in open(path, encoding="utf-8"):
        name, label, number, *features = line.rstrip("\n").split("\t")
        classes, reasons, words = ([part for part in feature.split(",") if part] for feature in features)
        text = texts[int(number)]
        text[0], text[1] = name, label == "injection"
        text[2].append((classes, reasons, [int(word) for word in words]))
    return [text for text in texts.values() if text[2]]


def matrix(passages, marks):
    rows, columns, values = [], [], []
    for row, (classes, reasons, words) in enumerate(passages):
        found = [marks[mark] for mark in classes + reasons]
        weights = [MARK] * len(found) + [len(words) ** -0.5] * len(words)
        found += [len(marks) + word for word in words]
        rows += [row] * len(found)
        columns += found
        values += weights
    return csr_matrix((values, (rows, columns)), shape=(len(passages), len(marks) + WORDS))


def joined(texts):
    """Texts and the same among what is innocent: orders stay orders there."""
    dice = random.Random(0)
    innocent = [text for text in texts if not text[1]]
    more = []
    for name, label, passages in texts:
        if name == "plain" and dice.random() > PLAIN_JOINED:
            continue
        for _ in range(JOINED):
            pair = dice.choice(passages), dice.choice(dice.choice(innocent)[2])
            more.append((name, label, [tuple(sorted(set(one) | set(other)) for one, other in zip(*pair))]))
    return texts + more


def fit(texts, marks):
    """Of orders the passage that is most like orders teaches; first, all of it do."""
    texts = joined(texts)
    chosen = [range(len(text[2])) for text in texts]
    for _ in range(3):
        passages = [text[2][at] for text, places in zip(texts, chosen) for at in places]
        labels = [text[1] for text, places in zip(texts, chosen) for _ in places]
        model = LogisticRegression(C=C, max_iter=3000, class_weight="balanced").fit(matrix(passages, marks), labels)
        odds = [model.decision_function(matrix(text[2], marks)) for text in texts]
        chosen = [[int(odd.argmax())] if text[1] else range(len(text[2])) for text, odd in zip(texts, odds)]
    return model


def odds_of(model, texts, marks):
    return np.array([model.decision_function(matrix(text[2], marks)).max() for text in texts])


def share(odds, texts, threshold, label):
    return np.mean([odd >= threshold for odd, text in zip(odds, texts) if text[1] == label])


def threshold_of(texts, marks):
    """The least threshold at which few enough innocent texts are suspected that the model has not seen."""
    judged = [text for text in texts if text[0] in JUDGED]
    others = [text for text in texts if text[0] not in JUDGED]
    odds = np.zeros(len(judged))
    for seen, unseen in KFold(5, shuffle=True, random_state=1).split(judged):
        model = fit([judged[at] for at in seen] + others, marks)
        odds[unseen] = odds_of(model, [judged[at] for at in unseen], marks)
    innocent = np.sort([odd for odd, text in zip(odds, judged) if not text[1]])[::-1]
    threshold = innocent[int(INNOCENT_MAX * len(innocent))] + 1e-6
    found, suspected = (share(odds, judged, threshold, label) for label in (True, False))
    print(f"cross-validated: found {found:.3f}, innocent suspected {suspected:.3f}", file=sys.stderr)
    return threshold


def main():
    texts = read(sys.argv[1])
    fitted = [text for text in texts if text[0] in FITTED]
    names = [sorted({name for text in texts for passage in text[2] for name in passage[kind]}) for kind in (0, 1)]
    marks = {name: at for at, name in enumerate(names[0] + names[1])}
    threshold = threshold_of(fitted, marks)
    model = fit(fitted, marks)
    for name in ("fit", "check", "more", "plain", "held", "blind"):
        part = [text for text in texts if text[0] == name]
        odds = odds_of(model, part, marks)
        suspected = share(odds, part, threshold, False)
        found = share(odds, part, threshold, True) if name != "plain" else 0
        print(f"{name}: found {found:.3f}, innocent suspected {suspected:.3f}", file=sys.stderr)
    weights = model.coef_[0]
    step = np.abs(weights[len(marks) :]).max() / STEPS
    words = np.round(weights[len(marks) :] / step).astype(np.int8)
    words.tofile(f"{sys.argv[2]}/weights.bin")
    with open(f"{sys.argv[2]}/weights.toml", "w", encoding="utf-8") as file:
        print("# Weights of the classifier: `tests/fit-suspects.py` printed them.", file=file)
        print(f"bias = {model.intercept_[0]:.3f}\nthreshold = {threshold:.3f}\nword_step = {step:.6f}", file=file)
        for table, kind in (("classes", names[0]), ("reasons", names[1])):
            print(f"\n[{table}]", file=file)
            for name in kind:
                print(f"{name.replace(' ', '-')} = {MARK * weights[marks[name]]:.3f}", file=file)


if __name__ == "__main__":
    main()
