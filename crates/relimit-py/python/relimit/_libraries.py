"""Networks out of live objects of scikit-learn, PyTorch and Keras, and back into them; nothing is
imported for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._errors import QuestionError
from ._network import Convention, Network
from ._tables import Array

ONE_LAYER = "relimit speaks of networks with one hidden ReLU layer"


def network(model: Any, *, optimizer: Any = None, name: str | None = None) -> Network:
    """The network of a model: a file, ``MLPRegressor``, a PyTorch module or state dict, a Keras
    model.

    ``optimizer`` is the PyTorch optimiser, whose ``weight_decay`` belongs to the loss.
    """
    if isinstance(model, Network):
        return model
    if isinstance(model, (str, os.PathLike)):
        return Network.read(model)
    if hasattr(model, "coefs_") and hasattr(model, "intercepts_"):
        return _of_sklearn(model, name or type(model).__name__)
    if hasattr(model, "named_modules") and hasattr(model, "state_dict"):
        return _of_torch(model, optimizer, name or type(model).__name__)
    if hasattr(model, "layers") and hasattr(model, "get_weights"):
        return _of_keras(model, name or str(getattr(model, "name", "model")))
    if isinstance(model, Mapping) and {"w", "b", "c", "offset"} <= set(model):
        return Network(model["w"], model["b"], model["c"], model["offset"], name=name or "network")
    if isinstance(model, Mapping):
        return _of_state(model, name or "state dict")
    if hasattr(model, "activation") and hasattr(model, "hidden_layer_sizes"):
        raise QuestionError(f"{type(model).__name__} is not fitted; call fit first")
    raise QuestionError(
        f"{type(model).__name__} is no network that is known; give an MLPRegressor, a PyTorch "
        "module or state dict, a Keras model, or a .safetensors, .onnx or .npz file"
    )


def _of_sklearn(model: Any, name: str) -> Network:
    if getattr(model, "out_activation_", "identity") != "identity":
        raise QuestionError(
            f"{name}: output activation {model.out_activation_}; only regression is read"
        )
    if model.activation != "relu":
        raise QuestionError(f"{name}: activation {model.activation}; {ONE_LAYER}")
    if len(model.coefs_) != 2:
        raise QuestionError(f"{name}: {len(model.coefs_) - 1} hidden layers; {ONE_LAYER}")
    (first, second), (b, offset) = model.coefs_, model.intercepts_
    names = getattr(model, "feature_names_in_", None)
    batch = None if model.solver == "lbfgs" else str(model.batch_size)
    convention: Convention | None = Convention("sklearn", float(model.alpha), batch)
    notes: tuple[str, ...] = ()
    if getattr(model, "loss", "squared_error") != "squared_error":
        convention, notes = None, (f"loss {model.loss} is no squared loss: no convention is read",)
    features = None if names is None else tuple(str(n) for n in names)
    return Network(first.T, b, second.T, offset, features, None, convention, notes, name)


def _numpy(tensor: Any) -> Array:
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().numpy()
    return np.asarray(tensor, dtype=np.float64)


def _leaves(model: Any) -> list[tuple[str, Any]]:
    return [(key, m) for key, m in model.named_modules() if not list(m.children())]


def _of_torch(model: Any, optimizer: Any, name: str) -> Network:
    notes: list[str] = []
    parts: list[Any] = []
    order = ""
    for key, leaf in _leaves(model):
        kind = type(leaf).__name__
        if kind == "Linear":
            parts.append(leaf)
            order += "L"
        elif kind == "ReLU":
            order += "R"
        elif kind in ("Flatten", "Identity"):
            continue
        elif kind == "Dropout":
            notes.append(f"{key}: dropout is left out, as in eval mode")
        else:
            raise QuestionError(f"{name}: layer {key} is a {kind}; {ONE_LAYER}")
    if order == "LL":
        notes.append("the module does not say what lies between its two layers; read as ReLU")
    elif order != "LRL":
        shown = " ".join({"L": "Linear", "R": "ReLU"}[letter] for letter in order) or "nothing"
        raise QuestionError(f"{name}: {shown}; {ONE_LAYER}: Linear ReLU Linear")
    convention = _torch_decay(model, optimizer, notes)
    first, second = parts
    return _two(first.weight, first.bias, second.weight, second.bias, convention, notes, name)


def _two(
    w: Any,
    b: Any,
    c: Any,
    offset: Any,
    convention: Convention | None,
    notes: list[str],
    name: str,
) -> Network:
    w, c = _numpy(w), _numpy(c)
    b = np.zeros(w.shape[0]) if b is None else _numpy(b)
    offset = np.zeros(c.shape[0]) if offset is None else _numpy(offset)
    return Network(w, b, c, offset, None, None, convention, tuple(notes), name)


def _torch_decay(model: Any, optimizer: Any, notes: list[str]) -> Convention | None:
    if optimizer is None:
        notes.append("no optimizer was given, so the weight decay is not known")
        return None
    groups = optimizer.param_groups
    if type(optimizer).__name__ == "AdamW" or any(g.get("decoupled_weight_decay") for g in groups):
        notes.append("decoupled weight decay (AdamW) is no penalty; no convention is read")
        return None
    decays = {id(p): float(g.get("weight_decay", 0.0)) for g in groups for p in g["params"]}
    found = {decays.get(id(p), 0.0) for p in model.parameters()}
    if len(found) != 1:
        notes.append(f"weight decays differ ({sorted(found)}); no convention is read")
        return None
    return Convention("pytorch", found.pop())


def _of_state(state: Mapping[str, Any], name: str) -> Network:
    weights = [key for key in state if str(key).endswith("weight")]
    others = [key for key in state if not str(key).endswith(("weight", "bias"))]
    if others:
        raise QuestionError(
            f"{name}: {others[0]} is no weight or bias of a linear layer; {ONE_LAYER}"
        )
    if len(weights) != 2 or any(_numpy(state[key]).ndim != 2 for key in weights):
        raise QuestionError(f"{name}: {len(weights)} layers with weights; {ONE_LAYER}: two Linear")
    first, second = weights
    bias = [state.get(key[: -len("weight")] + "bias") for key in weights]
    notes = ["a state dict does not say what lies between its two layers; read as ReLU"]
    return _two(state[first], bias[0], state[second], bias[1], None, notes, name)


def _dense(model: Any, name: str) -> list[Any]:
    """The two ``Dense`` layers of a Keras model, with a ReLU between them and nothing after."""
    found: list[Any] = []
    seen = ""
    for layer in model.layers:
        kind, config = type(layer).__name__, layer.get_config()
        if kind in ("InputLayer", "Flatten", "Dropout"):
            continue
        if kind == "Dense":
            found.append(layer)
            seen += "L" + {"relu": "R", "linear": ""}.get(config["activation"], "?")
        elif kind == "ReLU" or (kind == "Activation" and config.get("activation") == "relu"):
            bent = (
                config.get("negative_slope") or config.get("threshold") or config.get("max_value")
            )
            seen += "?" if bent else "R"
        else:
            raise QuestionError(f"{name}: layer {layer.name} is a {kind}; {ONE_LAYER}")
    if seen != "LRL":
        raise QuestionError(
            f"{name}: {len(found)} Dense layers with other activations; {ONE_LAYER}"
        )
    return found


def _of_keras(model: Any, name: str) -> Network:
    first, second = _dense(model, name)
    notes: list[str] = []
    factors: list[float] = []
    for layer in (first, second):
        config = getattr(layer, "kernel_regularizer", None)
        config = config.get_config() if config is not None else {"l2": 0.0}
        factors.append(float(config["l2"]) if set(config) == {"l2"} else float("nan"))
        if any(getattr(layer, f"{key}_regularizer", None) for key in ("bias", "activity")):
            factors.append(float("nan"))
    known = len(set(factors)) == 1
    if not known:
        notes.append("penalties differ, or are not l2 of the kernels alone; no convention is read")
    convention = Convention("keras", factors[0]) if known else None
    (w, *b), (c, *offset) = first.get_weights(), second.get_weights()
    b, offset = (b or [None])[0], (offset or [None])[0]
    return _two(np.asarray(w).T, b, np.asarray(c).T, offset, convention, notes, name)


def to_sklearn(net: Network, model: Any) -> Any:
    """Puts the weights into a fitted ``MLPRegressor``, whose width becomes that of the network."""
    _of_sklearn(model, type(model).__name__)
    kind = model.coefs_[0].dtype
    parts = [net.w.T, net.c.T], [net.b, net.offset]
    if model.coefs_[0].shape[0] != net.inputs or model.coefs_[1].shape[1] != net.outputs:
        raise QuestionError("the model has other inputs or outputs than the network")
    model.coefs_ = [np.array(v, dtype=kind, order="C") for v in parts[0]]
    model.intercepts_ = [np.array(v, dtype=kind) for v in parts[1]]
    model.hidden_layer_sizes = (net.width,)
    return model


def to_torch(net: Network, model: Any) -> Any:
    """Puts the weights into the two linear layers of a PyTorch module, whose width becomes that
    of the network.
    """
    linear = [leaf for _, leaf in _leaves(model) if type(leaf).__name__ == "Linear"]
    _of_torch(model, None, type(model).__name__)
    first, second = linear
    if first.weight.shape[1] != net.inputs or second.weight.shape[0] != net.outputs:
        raise QuestionError("the model has other inputs or outputs than the network")
    _require_bias("hidden", first.bias, net.b)
    _require_bias("output", second.bias, net.offset)
    for layer, weight, bias in ((first, net.w, net.b), (second, net.c, net.offset)):
        layer.weight.data = layer.weight.data.new_tensor(weight.tolist()).reshape(weight.shape)
        if layer.bias is not None:
            layer.bias.data = layer.bias.data.new_tensor(bias.tolist())
        layer.out_features, layer.in_features = weight.shape
    return model


def to_keras(net: Network, model: Any) -> Any:
    """Puts the weights into the two ``Dense`` layers of a Keras model.

    The width of a layer cannot change there: spare neurons become zeros.
    """
    first, second = _dense(model, getattr(model, "name", "model"))
    d, m = first.get_weights()[0].shape
    k = second.get_weights()[0].shape[1]
    if (d, k) != (net.inputs, net.outputs):
        raise QuestionError("the model has other inputs or outputs than the network")
    if m < net.width:
        raise QuestionError(
            f"the model has {m} neurons and the network {net.width}; make it as wide"
        )
    spare = m - net.width
    w, c = np.pad(net.w, ((0, spare), (0, 0))), np.pad(net.c, ((0, 0), (0, spare)))
    for layer, weight, bias, what in (
        (first, w.T, np.pad(net.b, (0, spare)), "hidden"),
        (second, c.T, net.offset, "output"),
    ):
        has = len(layer.get_weights()) > 1
        _require_bias(what, True if has else None, bias)
        layer.set_weights([weight, bias] if has else [weight])
    return model


def _require_bias(what: str, place: Any, bias: Array) -> None:
    if place is None and np.any(bias):
        raise QuestionError(
            f"the {what} layer has no biases and the network has some; build it with them"
        )
