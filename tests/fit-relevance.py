"""Fits `daemon/engine/src/recall/relevance/weights.toml`.

    target/release/helix-bench --candidates /tmp/candidates.tsv hooks
    python3 tests/fit-relevance.py /tmp/candidates.tsv > daemon/engine/src/recall/relevance/weights.toml

Needs numpy and scikit-learn. Each memory that was weighed is an example, the first few of a case; the label says whether it
helps. Trains a logistic regression on `fit`, `fourth-fit` and those cases of `other` and `third` whose id has an even CRC-32.
Tells on the standard error what the most relevant memory of each case comes to, on these and on the rest, and across the
four projects: the cases of each judged by a model of the others.
"""

import math
import re
import sys
import zlib
from collections import defaultdict

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

EXAMPLES_MAX = 4  # of a case: what is far behind teaches nothing
SILENCE = 0.95  # at which coverage across projects is told
PROMPT = ["rarity", "words", "identifier", "agreement", "general", "procedure"]
# The signs of each model and its thresholds, of the most relevant memory, of the second and of all behind it.
MODELS = {
    ("prompt", True): (["cosine", "tokens", *PROMPT, "ours"], [0.54, 0.8, 0.9]),
    ("prompt", False): (["beginning", *PROMPT], [0.56, 0.8, 0.9]),
    ("failure", True): (["cosine", "coverage", "word_score"], [0.39, 0.75, 0.9]),
    ("failure", False): (["coverage", "rarity"], [0.45, 0.75, 0.9]),
    ("task", True): (["cosine", "coverage", "word_score", "identifier"], [0.5, 0.75, 0.85]),
    ("task", False): (["coverage", "word_score"], [0.5, 0.7, 0.85]),
    ("file", True): (["cosine", "coverage", "rarity"], [0.4, 0.65, 0.8]),
}
PROJECTS = {"fit": 1, "check": 1, "other": 2, "third": 3, "fourth-fit": 4, "fourth-check": 4}
FIELDS = {"names_identifier": "identifier", "is_general": "general", "is_ours": "ours"}


def is_fitted_on(set_name, case):
    if set_name in ("other", "third"):
        return zlib.crc32(case.encode()) % 2 == 0
    return set_name in ("fit", "fourth-fit")


def signs_of(weighed):
    weighed = re.sub(r"(cosine|tokens): Some\(([^)]*)\)", r"\1: \2", weighed)
    found = re.findall(r"(\w+): (true|false|-?[\d.e-]+)", weighed)
    signs = {FIELDS.get(name, name): float({"true": 1, "false": 0}.get(value, value)) for name, value in found}
    for name in ("rarity", "word_score"):
        signs[name] = math.log1p(signs[name])
    signs["procedure"] = signs["is_how"] * signs["is_procedure"]
    return signs


def read(path):
    models = defaultdict(lambda: defaultdict(dict))
    for line in open(path, encoding="utf-8"):
        how, set_name, kind, case, verdict, weighed = line.rstrip("\n").split("\t")
        handle = re.search(r'handle="([^"]+)"', weighed).group(1)
        signs = signs_of(weighed) | {"helps": verdict == "helps"}
        # Where no vector came in time, the model without meaning judged.
        key = (weighed.split()[0].lower(), "cosine" in signs)
        of = models[key][case].setdefault("of", (set_name, case, kind == "positive"))
        # A failure is searched for twice where its own words find nothing: the first one counts.
        models[key][case].setdefault("rows", {}).setdefault(handle, signs)
    return {key: [(found["of"], list(found["rows"].values())) for found in cases.values()] for key, cases in models.items()}


def nearness(row):
    """Orders a case's memories before there is a model."""
    return 7.3 * row.get("cosine", 0) + 1.7 * row["coverage"] + 2.2 * row["rarity"]


def fit(cases, names):
    rows = [row for _, found in cases for row in sorted(found, key=nearness, reverse=True)[:EXAMPLES_MAX]]
    scaler = StandardScaler()
    scaled = scaler.fit_transform(np.array([[row[name] for name in names] for row in rows]))
    model = LogisticRegression(max_iter=5000).fit(scaled, [row["helps"] for row in rows])
    weights = model.coef_[0] / scaler.scale_
    return weights, model.intercept_[0] - (weights * scaler.mean_).sum()


def best(rows, names, model):
    """The relevance of the most relevant memory, and whether it helps."""
    weights, bias = model
    odds = [bias + sum(w * row[n] for n, w in zip(names, weights)) for row in rows]
    at = max(range(len(rows)), key=odds.__getitem__)
    return 1 / (1 + math.exp(-odds[at])), rows[at]["helps"]


def figures(judged, threshold):
    given = [helps for _, relevance, helps in judged if relevance >= threshold]
    covered = [relevance >= threshold and helps for is_positive, relevance, helps in judged if is_positive]
    silent = [relevance < threshold for is_positive, relevance, _ in judged if not is_positive]
    share = lambda found: sum(found) / max(len(found), 1)
    return f"silence {share(silent):.2f} coverage {share(covered):.2f} precision {share(given):.2f}"


def across(cases, names):
    judged = []
    for project in set(PROJECTS.values()):
        others = [case for case in cases if PROJECTS[case[0][0]] != project]
        model = fit(others, names)
        judged += [(of[2], *best(rows, names, model)) for of, rows in cases if PROJECTS[of[0]] == project]
    negatives = sorted((relevance for is_positive, relevance, _ in judged if not is_positive), reverse=True)
    return figures(judged, negatives[int((1 - SILENCE) * len(negatives))] + 1e-9)


def main():
    print("# Weights of what is shown unasked: `tests/fit-relevance.py` printed them. `model.rs` reads this.")
    models = read(sys.argv[1])
    for (occasion, by_meaning), (names, thresholds) in MODELS.items():
        cases = models[occasion, by_meaning]
        fitted = [(of, rows) for of, rows in cases if is_fitted_on(of[0], of[1])]
        weights, bias = model = fit(fitted, names)
        name = f"{occasion}.{'meaning' if by_meaning else 'words'}"
        print(f"\n[{name}]\nthresholds = {thresholds}\nbias = {bias:.2f}")
        print("\n".join(f"{sign} = {weight:.2f}" for sign, weight in zip(names, weights)))
        print(f"{name}: across projects {across(cases, names)}", file=sys.stderr)
        for is_fitted, label in ((True, "fitted on"), (False, "held out")):
            part = [(of[2], *best(rows, names, model)) for of, rows in cases if is_fitted_on(of[0], of[1]) == is_fitted]
            print(f"  {label}: {figures(part, thresholds[0])}", file=sys.stderr)


if __name__ == "__main__":
    main()
