"""Text: a tf-idf pipeline, scikit-learn's usual classifier beside the one that is trained for the metric."""

from __future__ import annotations

from data import text
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from mmo import MMOClassifier, MMOThreshold, metrics

documents, Y, documents_test, Y_test = text()
usual = OneVsRestClassifier(LogisticRegression())
for name, model in [
    ("logistic regression", usual),
    ("the same, MMOThreshold", MMOThreshold(usual, "macro-f1", cv=3)),
    ("MMOClassifier", MMOClassifier("macro-f1")),
]:
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True, min_df=2), model).fit(documents, Y)
    value = metrics.f1_score(Y_test, pipeline.predict(documents_test), average="macro")
    print(f"{name:24} macro F1 {value:.4f}")
