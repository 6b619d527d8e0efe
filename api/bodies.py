"""Request bodies: JSON read strictly into a struct, with the struct in the OpenAPI document."""

from collections.abc import Generator
from typing import Any, TypeVar

from litestar import Request
from litestar.dto import AbstractDTO
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

from api.problems import UnsupportedMediaType
from reminder_worker.strict_json import decode_json

T = TypeVar("T")


class StrictJson(AbstractDTO[T]):
    """Strict reader: the framework's own takes any content type, converts "5" to 5 and echoes values in its errors."""

    def decode_bytes(self, value: bytes) -> Any:
        """Raises UnsupportedMediaType, Malformed, InvalidInput."""
        request = self.asgi_connection
        media_type = request.content_type[0] if isinstance(request, Request) else ""
        if media_type.lower() != "application/json":
            raise UnsupportedMediaType("Send the body as application/json.")
        return decode_json(value, self.model_type)

    @classmethod
    def create_for_field_definition(cls, *_args: Any, **_kwargs: Any) -> None:
        """Nothing to prepare: the struct is its own model."""

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Reference | Schema:
        schema: Reference | Schema = schema_creator.for_field_definition(field_definition)
        return schema

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition, None, None]:
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        return False
