"""The HTTP application, put together from the running parts."""

from collections.abc import Iterator
from typing import Any

from litestar import Litestar, Router
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException, NotFoundException
from litestar.types import ASGIApp, ExceptionHandlersMap, Guard

from api.clients import ClientAddresses, RateLimit
from api.controllers.emails import EmailPageController, show_email_stops
from api.controllers.gift_pages import (
    GiftFactsController,
    GiftPageController,
    card_image,
    nothing_below,
    page_file,
    rewritten_links,
    show_create_page,
    show_stops,
)
from api.controllers.gifts import GiftEraseController, GiftNotifyController, GiftWalletController
from api.controllers.legacy_pages import (
    ClaimPreviewController,
    LegacyFactsController,
    LegacyPageController,
    legacy_file,
    show_legacy_stops,
)
from api.controllers.operator import (
    HealthController,
    OperatorController,
    StatusController,
    require_secret,
)
from api.controllers.recipients import RecipientsController
from api.controllers.rehearsals import REHEARSALS_PER_HOUR, RehearsalController
from api.controllers.sponsor import SponsorController, SponsorEventsController, SponsorStatusController
from api.controllers.stats import PriceHistory, StatsController
from api.controllers.timelocks import TimelocksController
from api.controllers.upgrades import UpgradesController
from api.legacy_page import PREFIX as LEGACIES
from api.metrics import RequestMetrics
from api.middleware import RequestMiddleware, ResponseCache
from api.openapi_document import make_config
from api.problems import exception_handlers, preflight_as_a_problem
from api.request_events import FollowedRequests, StreamPlaces
from api.schema_page import swagger_file
from api.stats import PublishedStats
from reminder_worker.gifts.assets import PageFiles
from reminder_worker.runtime import Runtime, serves_create_page
from reminder_worker.settings import Settings
from reminder_worker.tracing import list_middleware


def create_app(parts: Runtime, published: PublishedStats, clients: ClientAddresses, per_minute: RateLimit) -> Litestar:
    """The routes with their limits; serve it wrapped, by `make_application`."""
    settings, limit = parts.settings, per_minute.guard()
    has_pages = settings.gifts is not None or settings.service.legacy_pages
    page_files = PageFiles.load(sender=settings.service.organisation) if has_pages else None
    return Litestar(
        route_handlers=[
            *_limited_routes(clients, limit),
            *_hourly_routes(parts, clients, limit),
            *_gift_page_routes(settings, page_files, limit),
            *_legacy_page_routes(settings, page_files, limit),
            *_operator_routes(settings, limit),
            HealthController,
            Router(
                "/",
                route_handlers=[EmailPageController],
                guards=[limit],
                exception_handlers=show_email_stops(settings),
            ),
        ],
        dependencies={
            "recipients": _provide_part(parts.recipients),
            "self_erasure": _provide_part(parts.self_erasure),
            "instructions": _provide_part(parts.instructions),
            "rehearsals": _provide_part(parts.rehearsals),
            "engine": _provide_part(parts.engine),
            "parts": _provide_part(parts),
            "settings": _provide_part(settings),
            "sponsor": _provide_part(parts.sponsor),
            "followed": _provide_part(FollowedRequests(parts.sponsor)),
            "gift_pages": _provide_part(parts.gift_pages),
            "legacy_pages": _provide_part(parts.legacy_pages),
            "page_files": _provide_part(page_files),
            "gift_wallets": _provide_part(parts.gift_wallets),
            "gift_notifications": _provide_part(parts.gift_notifications),
            "published": _provide_part(published),
            "price_history": _provide_part(PriceHistory(parts.engine, published)),
        },
        exception_handlers=_exception_handlers(settings, page_files),
        cors_config=CORSConfig(
            allow_origins=[settings.service.app_origin, *settings.api.cors_origins],
            allow_methods=["GET", "POST"],
            allow_headers=["Content-Type"],
            expose_headers=["Date", "Retry-After", "X-Request-ID"],
            max_age=600,
        ),
        before_send=[preflight_as_a_problem],
        middleware=list_middleware(),
        openapi_config=make_config(limit, settings.service.app_origin),
        request_max_body_size=64 * 1024,
        logging_config=None,
        debug=False,
    )


def _limited_routes(clients: ClientAddresses, limit: Guard) -> Iterator[Router]:
    yield Router(
        "/",
        route_handlers=[
            RecipientsController,
            GiftFactsController,
            LegacyFactsController,
            TimelocksController,
            GiftEraseController,
            SponsorStatusController,
            StatsController,
            UpgradesController,
            swagger_file,
        ],
        guards=[limit],
    )
    streams = StreamPlaces(clients).middleware
    yield Router("/", route_handlers=[SponsorEventsController], guards=[limit], middleware=[streams])


def _hourly_routes(parts: Runtime, clients: ClientAddresses, limit: Guard) -> Iterator[Router]:
    """They are there whatever is configured; what is switched off answers that it is."""
    settings = parts.settings
    per_minute = settings.api.rate_limit_per_minute
    relay, gifts, provider = settings.relay, settings.gifts, settings.identity_provider
    relays = relay.per_client_hour if relay else per_minute
    notifications = gifts.notify_per_client_hour if gifts else per_minute
    wallets = provider.per_client_hour if provider else per_minute
    for controllers, most, scope in (
        ((SponsorController, ClaimPreviewController), relays, "relay_client"),
        ((GiftNotifyController,), notifications, "gift_notify_client"),
        ((GiftWalletController,), wallets, "gift_wallets_client"),
        ((RehearsalController,), REHEARSALS_PER_HOUR, "rehearsal_client"),
    ):
        per_hour = RateLimit(clients, parts.quotas, most, scope, 3600)
        yield Router("/", route_handlers=controllers, guards=[limit, per_hour.guard()])


def _gift_page_routes(settings: Settings, page_files: PageFiles | None, limit: Guard) -> Iterator[Router]:
    if settings.gifts is None:
        return
    below = f"/{settings.gifts.prefix}"
    put_right = rewritten_links(settings.gifts.prefix, page_files)
    stops = show_stops(settings.gifts.prefix, page_files)
    yield Router(
        below, route_handlers=[GiftPageController], guards=[limit], before_request=put_right, exception_handlers=stops
    )
    yield Router(below, route_handlers=[card_image, page_file])
    if serves_create_page(settings):
        yield Router(below, route_handlers=[show_create_page], guards=[limit])


def _legacy_page_routes(settings: Settings, page_files: PageFiles | None, limit: Guard) -> Iterator[Router]:
    if settings.service.legacy_pages:
        stops = show_legacy_stops(page_files)
        below = f"/{LEGACIES}"
        yield Router(below, route_handlers=[LegacyPageController], guards=[limit], exception_handlers=stops)
        yield Router(below, route_handlers=[legacy_file])


def _operator_routes(settings: Settings, limit: Guard) -> Iterator[Router]:
    for controller, secret in (
        (StatusController, settings.ops.status_secret),
        (OperatorController, settings.ops.operator_secret),
    ):
        if secret is not None:
            yield Router("/", route_handlers=[controller], guards=[limit, require_secret(secret)])


def make_application(parts: Runtime, metrics: RequestMetrics, published: PublishedStats) -> ASGIApp:
    """Return the application of a server: cached responses first, then the middleware with the routes."""
    clients = ClientAddresses(parts.settings.api.trusted_proxies, parts.hashes)
    per_minute = RateLimit(clients, parts.quotas, parts.settings.api.rate_limit_per_minute)
    app = create_app(parts, published, clients, per_minute)
    return ResponseCache(RequestMiddleware(app, clients, metrics), published, per_minute, metrics)


def _exception_handlers(settings: Settings, page_files: PageFiles | None) -> ExceptionHandlersMap:
    handlers = exception_handlers()
    if settings.gifts is None:
        return handlers
    return {**handlers, NotFoundException: nothing_below(settings.gifts.prefix, page_files, handlers[HTTPException])}


def _provide_part(part: Any) -> Provide:
    def provide() -> Any:
        return part

    return Provide(provide, sync_to_thread=False, use_cache=True)
