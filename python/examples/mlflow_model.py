"""A model in MLflow: a pyfunc that holds the native file, loaded and served like any other."""

import mlflow
import pandas as pd

import mmo
from mmo.datasets import make_multilabel


class Tagger(mlflow.pyfunc.PythonModel):
    """Rows of a DataFrame to a 0/1 column for each label."""

    def load_context(self, context):
        self.model = mmo.load(context.artifacts["labels"])

    def predict(self, context, model_input, params=None):
        return pd.DataFrame(self.model.predict(model_input), columns=self.model.classes_)


data = make_multilabel(rows=600, features=20, labels=6)
X = pd.DataFrame(data.data, columns=[f"x{k}" for k in range(20)])
Y = pd.DataFrame(data.target, columns=list("abcdef"))
model = mmo.MMOClassifier("macro-f1", effort="quick").fit(X[:400], Y[:400])
model.save("labels.mmo", overwrite=True)
mlflow.pyfunc.save_model("served", python_model=Tagger(), artifacts={"labels": "labels.mmo"}, pip_requirements=["mmo"])

served = mlflow.pyfunc.load_model("served").predict(X[400:])
print(f"macro F1 of the served model {mmo.metrics.f1_score(Y[400:], served, average='macro'):.4f}")
