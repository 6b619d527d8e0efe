"""The one error map: the service's errors, and the framework's, as RFC 9457 problems.

No answer holds a stack trace or anything the request brought: details are ours, never the framework's.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, cast

import msgspec
import structlog
from litestar import Request, Response
from litestar.enums import ScopeType
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter
from litestar.types import ExceptionHandlersMap, Message, Scope
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from api.problem_codes import ProblemCode
from api.schemas import FieldProblem, Problem, UnsupportedMediaType
from reminder_worker import errors
from reminder_worker.gifts.wallets import GiverUnknown, WalletNotUsable

log = structlog.get_logger(__name__)

DATABASE_AWAY: Final[tuple[type[Exception], ...]] = (OperationalError, PoolTimeout)
MEDIA_TYPE = "application/problem+json"
RETRY_LATER_SECONDS = 5


# By class, most special first in the class's own ancestry; the code comes from the error.
STATUS: Mapping[type[Exception], tuple[int, str]] = MappingProxyType(
    {
        errors.Malformed: (400, "The request cannot be read"),
        errors.Unauthorized: (401, "A secret is missing or wrong"),
        errors.SignerMismatch: (403, "The signature is not the right account's"),
        errors.PremiumRequired: (403, "Premium is required"),
        errors.NotAKnownLegacy: (403, "The legacy is not known"),
        errors.NotFound: (404, "There is no such thing"),
        errors.NonceMismatch: (409, "The nonce is not the next one"),
        errors.AlreadyUsed: (409, "The signed message cannot be used again"),
        errors.Superseded: (409, "A later write was accepted"),
        errors.Expired: (410, "The signed message has expired"),
        UnsupportedMediaType: (415, "The body has to be JSON"),
        errors.InvalidInput: (422, "A field is not acceptable"),
        errors.LegacyNotLive: (422, "The legacy has ended"),
        errors.ContractRefused: (422, "The contract would refuse this"),
        errors.DeadlineTooFar: (422, "The deadline is too far ahead"),
        errors.LimitReached: (429, "Too many requests"),
        GiverUnknown: (403, "The giver is not known on this chain"),
        WalletNotUsable: (409, "The wallet cannot be used"),
        errors.Refused: (400, "The request is refused"),
        errors.Unavailable: (503, "Something this depends on does not answer"),
        errors.RouterVersionUnsupported: (503, "The router's version is not served here"),
        errors.Misconfigured: (503, "This is not configured here"),
        errors.ServiceError: (500, "The service failed"),
    }
)
_FRAMEWORK: Mapping[int, tuple[str, str, str]] = MappingProxyType(
    {
        400: ("malformed", "The request cannot be read", "The request cannot be read."),
        404: ("not_found", "There is no such thing", "Nothing is served at this path."),
        405: ("method_not_allowed", "The method is not allowed", "This path is not served with this method."),
        413: ("body_too_large", "The body is too large", "The body is larger than 64 KiB."),
    }
)


def exception_handlers() -> ExceptionHandlersMap:
    return {
        errors.ServiceError: _service_error,
        **dict.fromkeys(DATABASE_AWAY, _database_error),
        HTTPException: _framework_error,
        Exception: _answer_fault,
    }


async def preflight_as_a_problem(message: Message, scope: Scope) -> None:
    """In place of the framework's own words for a preflight (CORS) that it refuses: a problem, as elsewhere."""
    if scope["type"] != ScopeType.HTTP or scope["method"] != "OPTIONS":
        return
    if message["type"] == "http.response.start":
        is_text = dict(message["headers"]).get(b"content-type", b"").startswith(b"text/plain")
        if message["status"] == 400 and is_text:
            length = str(len(_PREFLIGHT_REFUSED)).encode()
            message["headers"] = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", length)]
    elif message["type"] == "http.response.body" and message["body"].startswith(b"Disallowed CORS"):
        message["body"] = _PREFLIGHT_REFUSED


def _service_error(request: Request[Any, Any, Any], error: errors.ServiceError) -> Response[Problem]:
    status, title = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)
    if status == 500:
        return _answer_fault(request, error)
    faults = error.faults if isinstance(error, errors.InvalidInput) else ()
    if isinstance(error, errors.DeadlineTooFar):
        faults = (errors.FieldFault("/deadline", "is too far ahead"),)
    headers = {}
    if isinstance(error, errors.LimitReached):
        headers["Retry-After"] = str(error.retry_after)
    elif isinstance(error, errors.Unavailable):
        headers["Retry-After"] = str(RETRY_LATER_SECONDS)
    elif isinstance(error, errors.Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return make_problem(status, error.code, title, str(error), faults, headers)


def database_unavailable(error: Exception) -> errors.Unavailable:
    """Return the error for the client; the log gets the details."""
    log.error("database_unavailable", exc_info=error)
    return errors.Unavailable("The database does not answer; try again later.")


def _database_error(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    return _service_error(request, database_unavailable(error))


def _framework_error(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    if error.status_code not in _FRAMEWORK:
        return _answer_fault(request, error)
    code, title, detail = _FRAMEWORK[error.status_code]
    given = error.headers or {}
    headers = {name: value for name, value in given.items() if name.lower() == "allow"}
    return make_problem(error.status_code, code, title, detail, _find_parameter_faults(request, error), headers)


def _find_parameter_faults(request: Request[Any, Any, Any], error: HTTPException) -> tuple[errors.FieldFault, ...]:
    """Return each parameter of the query that is missing or cannot be read, by its name in the OpenAPI document."""
    if not isinstance(error, ValidationException):
        return ()
    listed = error.extra if isinstance(error.extra, list) else []
    unreadable = {each["key"] for each in listed if "key" in each}
    faults = []
    for variable, field in request.route_handler.parsed_fn_signature.parameters.items():
        if not isinstance(field.kwarg_definition, QueryParameter):
            continue
        name = field.kwarg_definition.name or variable
        if field.is_required and name not in request.query_params:
            faults.append(errors.FieldFault(f"/{name}", "is missing"))
        elif variable in unreadable:
            faults.append(errors.FieldFault(f"/{name}", "cannot be read"))
    return tuple(faults)


def _answer_fault(_request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    log.error("request_failed", exc_info=error)
    return make_problem(500, "internal", "The service failed", "This is our fault; it was logged.")


def describe_problem(text: str) -> ResponseSpec:
    """Return a problem with its meaning for the OpenAPI document."""
    return ResponseSpec(Problem, description=text, media_type=MEDIA_TYPE, generate_examples=False)


# The framework documents an answer of its own for whatever has parameters.
UNREADABLE = describe_problem("`malformed`: the request cannot be read")
OF_A_BODY: Mapping[str, str] = MappingProxyType(
    {
        "400": "`malformed`: the body is not JSON",
        "413": "`body_too_large`: more than 64 KiB",
        "415": "`unsupported_media_type`: not application/json",
    }
)


def describe_responses(common: Mapping[str, str], words: Mapping[str, str]) -> dict[int, ResponseSpec]:
    """By status what each problem means; `words` by `on_<status>` take precedence, empty ones leave a status out."""
    texts = dict(common) | {status.removeprefix("on_"): text for status, text in words.items()}
    return {int(status): describe_problem(text) for status, text in sorted(texts.items()) if text}


def make_problem(
    status: int,
    code: str,
    title: str,
    detail: str,
    faults: tuple[errors.FieldFault, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response[Problem]:
    content = Problem(
        type=f"urn:reminder-worker:problem:{code}",
        title=title,
        status=status,
        detail=detail,
        code=cast(ProblemCode, code),
        errors=[FieldProblem(fault.pointer, fault.detail) for fault in faults],
    )
    return Response(content, status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


_PREFLIGHT_REFUSED: Final = msgspec.json.encode(
    make_problem(
        400,
        "preflight_refused",
        "The request would not be answered",
        "Pages of this origin may not read answers, or not ask with this method or these headers.",
    ).content
)
