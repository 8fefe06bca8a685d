"""Fits the weights of `daemon/engine/src/recall/relevance.rs`.

    target/release/helix-bench --candidates /tmp/candidates.tsv hooks
    python3 tests/fit-relevance.py /tmp/candidates.tsv

Needs numpy and scikit-learn. Each memory that was weighed is an example, the first few of a case; the label says whether it
helps. Trains a logistic regression on `fit`, `fourth-fit` and those cases of `other` and `third` whose id has an even CRC-32,
and prints for thresholds what the most relevant memory of each case came to, on these and on the rest.
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
MEANING, WORDS = ["cosine", "lead"], ["coverage", "rarity"]
FORM = ["beginning", "rarity", "words", "names_identifier", "agreement", "is_general"]
SIGNS = {
    ("Prompt", True): MEANING + FORM + ["is_ours", "answers"],
    ("Prompt", False): ["coverage"] + FORM + ["answers"],
    ("Task", True): MEANING + WORDS + ["names_identifier"],
    ("Task", False): WORDS + ["names_identifier"],
    ("Failure", True): MEANING + WORDS,
    ("Failure", False): WORDS,
    ("File", True): MEANING + WORDS,
}


def is_fitted_on(set_name, case):
    if set_name in ("other", "third"):
        return zlib.crc32(case.encode()) % 2 == 0
    return set_name in ("fit", "fourth-fit")


def read(path):
    cases = defaultdict(dict)
    for line in open(path, encoding="utf-8"):
        how, set_name, kind, case, verdict, weighed = line.rstrip("\n").split("\t")
        occasion = weighed.split()[0]
        signs = {name: float({"true": 1, "false": 0}.get(value, value))
                 for name, value in re.findall(r"(\w+): (true|false|-?[\d.e-]+)", weighed)}
        signs["rarity"] = math.log1p(signs["rarity"])
        signs["answers"] = signs["is_how"] * signs["is_procedure"]
        signs["helps"] = verdict == "helps"
        handle = re.search(r'handle="([^"]+)"', weighed).group(1)
        key = (occasion, how.endswith("meaning"), case)
        cases[key].setdefault("of", (set_name, kind == "positive"))
        # A failure is searched for twice where its own words find nothing: the first one counts.
        cases[key].setdefault("rows", {}).setdefault(handle, signs)
    return cases


def nearness(row):
    """Orders a case's memories before there is a model."""
    return (3.4 * row.get("cosine", 0) + 3.9 * row.get("lead", 0) + 1.7 * row["coverage"] + 2.2 * row["rarity"])


def report(cases, names, weights, bias, threshold):
    positives = silent = covered = given = right = negatives = 0
    for (_, is_positive), rows in cases:
        odds = [bias + sum(w * row[n] for n, w in zip(names, weights)) for row in rows]
        best = max(range(len(rows)), key=odds.__getitem__)
        is_given = 1 / (1 + math.exp(-odds[best])) >= threshold
        is_right = is_given and rows[best]["helps"]
        given, right = given + is_given, right + is_right
        positives, covered = positives + is_positive, covered + (is_right and is_positive)
        negatives, silent = negatives + (not is_positive), silent + (not is_positive and not is_given)
    return (f"silence {silent / max(negatives, 1):.2f} coverage {covered / max(positives, 1):.2f} "
            f"precision {right / max(given, 1):.2f}")


def main():
    cases = read(sys.argv[1])
    for (occasion, by_meaning), names in SIGNS.items():
        parts = {True: [], False: []}
        for (of, meaning, case), found in cases.items():
            if (of, meaning) == (occasion, by_meaning):
                parts[is_fitted_on(found["of"][0], case)].append((found["of"], list(found["rows"].values())))
        rows = [row for _, found in parts[True]
                for row in sorted(found, key=nearness, reverse=True)[:EXAMPLES_MAX]]
        scaler = StandardScaler()
        scaled = scaler.fit_transform(np.array([[row[name] for name in names] for row in rows]))
        model = LogisticRegression(max_iter=5000).fit(scaled, [row["helps"] for row in rows])
        weights = model.coef_[0] / scaler.scale_
        bias = model.intercept_[0] - (weights * scaler.mean_).sum()
        print(f"{occasion}, {'words and meaning' if by_meaning else 'words alone'}: bias {bias:.2f}",
              ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, weights)))
        for threshold in (0.4, 0.5, 0.55, 0.6, 0.65):
            for fitted, label in ((True, "fitted on"), (False, "held out ")):
                print(f"  {threshold:.2f} {label} {report(parts[fitted], names, weights, bias, threshold)}")


if __name__ == "__main__":
    main()
