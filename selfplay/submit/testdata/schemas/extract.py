"""Makes the JSON schemas in this directory from the OpenAPI files of Kubernetes.

usage: extract.py DIR    DIR is api/openapi-spec/v3 of the module k8s.io/kubernetes

Each schema holds one kind and what it refers to, without descriptions. Fields
that the API does not name are refused.
"""

import json
import pathlib
import sys

# file of the schema: file of the API, name of the kind there
KINDS = {
    "job-batch-v1.json": ("apis__batch__v1_openapi.json", "io.k8s.api.batch.v1.Job"),
    "configmap-v1.json": ("api__v1_openapi.json", "io.k8s.api.core.v1.ConfigMap"),
}
REFERENCE = "#/components/schemas/"


def stripped(schema, found):
    """Returns a schema with what a validator uses; notes the names it refers to."""
    if isinstance(schema, list):
        return [stripped(item, found) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {}
    for key, value in schema.items():
        if key in ("description", "default") or key.startswith("x-"):
            continue
        if key == "$ref":
            name = value.removeprefix(REFERENCE)
            found.append(name)
            out[key] = "#/definitions/" + name
        elif key == "properties":  # the names below are fields, not keywords
            out[key] = {name: stripped(field, found) for name, field in value.items()}
        else:
            out[key] = stripped(value, found)
    if "properties" in out:
        out["additionalProperties"] = False
    return out


def main():
    here, api = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
    for target, (source, kind) in KINDS.items():
        schemas = json.loads((api / source).read_text())["components"]["schemas"]
        definitions, found = {}, [kind]
        while found:
            name = found.pop()
            if name not in definitions:
                definitions[name] = stripped(schemas[name], found)
        schema = {"$ref": "#/definitions/" + kind, "definitions": definitions}
        (here / target).write_text(json.dumps(schema, indent=1, sort_keys=True) + "\n")


main()
