"""The API in words: what `/openapi.json` says, without anything loaded from elsewhere."""

from html import escape
from typing import Any

from randori.app.page.frame import frame
from randori.app.page.parts import box, link, picture, text


async def show(schema: dict[str, Any]) -> None:
    with frame("API", ""):
        text("h1", "API")
        text("p", "Everything that the page does, for programs: JSON in and out. A cookie identifies you.")
        link("openapi.json", "/openapi.json")
        with box("article", "prose"):
            for path, methods in schema["paths"].items():
                for method, operation in methods.items():
                    text("h2", f"{method.upper()} {path}")
                    text("p", operation.get("description", operation.get("summary", "")))
                    picture(_body(schema, operation))


def _body(schema: dict[str, Any], operation: dict[str, Any]) -> str:
    """The fields of what is sent."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    fields = schema.get("components", {}).get("schemas", {}).get(name, {}).get("properties", {})
    rows = "".join(
        f"<dt><code>{escape(field)}</code></dt><dd>{escape(str(about.get('description', about.get('type', ''))))}</dd>"
        for field, about in fields.items()
    )
    return f"<dl>{rows}</dl>" if rows else ""
