"""A GraphQL server that follows graph-node: dialect, limits and errors, over the shipped schema.

What graph-node makes of a schema is made here too, as far as we ask: a plural field for each entity, filters, orders,
`block`, `_meta`; `first` at most 1000, BigInt as strings, 200 with `errors` when it refuses.
The entities come from a chain, by handlers written as a subgraph's mapping would be, apart from the service's code.
"""

import copy
from collections import deque
from importlib.resources import files
from operator import eq, ge, gt, le
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from eth_abi.abi import decode as abi_decode
from eth_utils.abi import collapse_if_tuple, event_abi_to_log_topic
from graphql import GraphQLError, GraphQLSchema, build_schema, execute, parse, validate
from graphql.language import FieldDefinitionNode, ListTypeNode, NonNullTypeNode, ObjectTypeDefinitionNode
from pydantic import SecretStr

from devnet.chain import Anvil
from devnet.scenarios import Scenario

Entity = dict[str, Any]
Store = dict[str, dict[str, Entity]]
NOBODY = "0x" + "0" * 40
FIXED = """
scalar BigInt
scalar Bytes
enum OrderDirection { asc desc }
input Block_height { hash: Bytes }
type _Block_ { hash: Bytes number: Int! timestamp: Int parentHash: Bytes }
type _Meta_ { block: _Block_! deployment: String! hasIndexingErrors: Boolean! }
"""


class GraphNode:
    """`async with` it; `sync` it to a scenario's chain. `faults` are taken by the next requests, one each."""

    def __init__(self) -> None:
        document = parse((files("reminder_worker.indexer") / "schema.graphql").read_text())
        self.types = [node for node in document.definitions if isinstance(node, ObjectTypeDefinitionNode)]
        self.schema = self._schema()
        self.states: list[tuple[int, str, Store]] = []
        self.has_indexing_errors = False
        self.faults: deque[web.Response | Exception] = deque()
        self.asked: list[str] = []
        self.spoil: Any = None  # a function that changes the answer's data before it is sent
        self._runner: web.AppRunner | None = None
        self._port = 0
        self._mapping: SubgraphMapping | None = None

    @property
    def url(self) -> SecretStr:
        return SecretStr(f"http://127.0.0.1:{self._port}/api/secret-key/subgraphs/id/reminders")

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/api/secret-key/subgraphs/id/reminders", self._serve)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def sync(self, scenario: Scenario) -> None:
        """Index the chain up to its head, from the last indexed block that the chain still has."""
        anvil, place = scenario.anvil, scenario.deployment
        last = anvil.block_number()
        self._mapping = mapping = self._mapping or SubgraphMapping(scenario)
        self.states = list(self.states)  # a test may keep the former ones
        while self.states and not _is_on(anvil, *self.states[-1][:2]):
            self.states.pop()
        first = self.states[-1][0] + 1 if self.states else place.start_block
        if first > last:
            return
        logs = anvil.rpc("eth_getLogs", {"fromBlock": hex(first), "toBlock": hex(last), "address": mapping.addresses})
        by_block: dict[int, list[Any]] = {}
        for log in logs:
            by_block.setdefault(int(log["blockNumber"], 16), []).append(log)
        store: Store = self.states[-1][2] if self.states else {str(node.name.value): {} for node in self.types}
        for number in range(first, last + 1):
            block = anvil.rpc("eth_getBlockByNumber", hex(number), False)
            if number in by_block:
                store = copy.deepcopy(store)
                for log in by_block[number]:
                    mapping.handle(store, log, int(block["timestamp"], 16))
            self.states.append((number, block["hash"], store))

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        document = parse(body["query"])
        self.asked.append(next(iter(document.definitions)).name.value)  # type: ignore[attr-defined]
        if self.faults:
            fault = self.faults.popleft()
            if isinstance(fault, web.Response):
                return fault
            assert request.transport is not None
            request.transport.close()
            raise fault
        errors = validate(self.schema, document)
        if errors:
            return web.json_response({"errors": [{"message": error.message} for error in errors]})
        only_meta = self.asked[-1] == "Head"
        if self.has_indexing_errors and not only_meta:
            return web.json_response({"data": None, "errors": [{"message": "indexing_error"}]})
        done = execute(self.schema, document, variable_values=body["variables"])
        assert not hasattr(done, "__await__")
        if done.errors:
            return web.json_response({"errors": [{"message": error.message} for error in done.errors]})
        if self.spoil is not None:
            self.spoil(done.data)
        return web.json_response({"data": done.data})

    # --- the dialect

    def _schema(self) -> GraphQLSchema:
        parts, queries = [FIXED], ["_meta(block: Block_height): _Meta_"]
        for node in self.types:
            name, fields = node.name.value, node.fields
            lines = "\n".join(f"{field.name.value}: {_written(field)}" for field in fields)
            filters = "\n".join(_filters(field, {other.name.value for other in self.types}) for field in fields)
            order = " ".join(field.name.value for field in fields)
            parts += [f"type {name} {{ {lines} }}", f"input {name}_filter {{ {filters} }}"]
            parts += [f"enum {name}_orderBy {{ {order} }}"]
            queries += [
                f"{_plural(name)}(first: Int = 100, orderBy: {name}_orderBy, orderDirection: OrderDirection,"
                f" where: {name}_filter, block: Block_height): [{name}!]!"
            ]
        schema = build_schema("\n".join([*parts, f"type Query {{ {chr(10).join(queries)} }}"]))
        types: Any = schema.type_map
        types["BigInt"].serialize = str
        types["Bytes"].serialize = str
        types["Bytes"].parse_value = _bytes
        types["BigInt"].parse_value = _big_int
        asked: Any = schema.query_type.fields  # type: ignore[union-attr]
        asked["_meta"].resolve = lambda _root, _info, block=None: self._meta(block)
        for node in self.types:
            asked[_plural(node.name.value)].resolve = self._resolver(node.name.value)
        types["TimelockAsset"].fields["timelock"].resolve = lambda asset, _info: {"id": asset["timelock"]}
        return schema

    def _meta(self, block: Any) -> Entity:
        number, block_hash, _ = self._state(block)
        return {
            "block": {"number": number, "hash": block_hash},
            "deployment": "QmTest",
            "hasIndexingErrors": self.has_indexing_errors,
        }

    def _state(self, block: Any) -> tuple[int, str, Store]:
        if not block:
            return self.states[-1]
        for state in self.states:
            if state[1] == block["hash"]:
                return state
        raise GraphQLError("Failed to decode `block.hash` value: `no block with that hash found`")

    def _resolver(self, name: str) -> Any:
        def resolve(
            _root: Any,
            _info: Any,
            first: int = 100,
            orderBy: str = "id",
            orderDirection: str = "asc",
            where: Entity | None = None,
            block: Any = None,
        ) -> list[Entity]:
            if not 1 <= first <= 1000:
                raise GraphQLError(f"The value of the `first` argument must be between 1 and 1000, but is {first}")
            _, _, store = self._state(block)
            rows = [row for row in store[name].values() if _matches(row, where or {})]
            rows.sort(key=lambda row: (row[orderBy], row["id"]), reverse=orderDirection == "desc")
            return rows[:first]

        return resolve


def _plural(name: str) -> str:
    return "legacies" if name == "Legacy" else name[0].lower() + name[1:] + "s"


def _is_on(anvil: Anvil, number: int, block_hash: str) -> bool:
    block = anvil.rpc("eth_getBlockByNumber", hex(number), False)
    return block is not None and block["hash"] == block_hash


class SubgraphMapping:
    """Handlers of the subgraph: they turn one event after the other into entities of `schema.graphql`."""

    def __init__(self, scenario: Scenario) -> None:
        place = scenario.deployment
        self.eoa, self.safe = place.transfer_eoa_legacy_router, place.multisig_legacy_router
        self.erc721 = place.timelock_erc721
        sources = {
            self.eoa: "TransferEOALegacyRouter",
            self.safe: "MultisigLegacyRouter",
            place.premium_setting: "PremiumSetting",
            place.timelock_erc20: "TimelockERC20",
            place.timelock_erc721: "TimelockERC721",
            place.timelock_erc1155: "TimelockERC1155",
        }
        self.addresses = list(sources)
        self._abi: dict[tuple[str, str, int], Any] = {}
        for address, contract in sources.items():
            for entry in scenario.contracts[contract].abi:
                if entry["type"] == "event":
                    topic = "0x" + event_abi_to_log_topic(entry).hex()  # type: ignore[arg-type]
                    self._abi[address, topic, 1 + sum(item["indexed"] for item in entry["inputs"])] = entry
        self._by_id: dict[tuple[str, int], str] = {}
        self._vaults: dict[str, dict[str, int]] = {}

    def handle(self, store: Store, log: Any, timestamp: int) -> None:
        entry = self._abi.get((log["address"], log["topics"][0], len(log["topics"])))
        handler = getattr(self, entry["name"], None) if entry else None
        if handler is not None:
            handler(store, _arguments(entry, log), log, timestamp)

    def LegacyEmailNotifyRequested(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        key = f"{log['transactionHash']}-{int(log['logIndex'], 16)}"
        store["NotifyRequested"][key] = {
            "id": key,
            "legacy": event["legacy"],
            "creator": event["creator"],
            "layer": event["layer"],
            "notifyType": event["notifyType"],
            "blockNumber": int(log["blockNumber"], 16),
            "blockTimestamp": timestamp,
            "transactionHash": log["transactionHash"],
        }

    def TransferEOALegacyCreatedV2(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._created(store, event, self.eoa, 3, event["creator"], event["creator"], timestamp)

    def TransferEOALegacyCreated(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._created(store, event, self.eoa, 3, event["creatorAddress"], event["creatorAddress"], timestamp)

    def MultisigLegacyCreated(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._created(store, event, self.safe, 1, event["creatorAddress"], event["safeAddress"], timestamp)

    def TransferEOALegacyDeleted(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        store["Legacy"][self._by_id[self.eoa, event["legacyId"]]]["deleted"] = True

    def LegacyReminderUpdated(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        store["ReminderConfiguration"][event["legacyAddress"]] = {
            "id": event["legacyAddress"],
            "creator": event["user"],
            "cosigners": list(map(_address, event["cosigners"])),
            "beneficiaries": list(map(_address, event["beneficiaries"])),
            "secondLine": None if _address(event["secondLine"]) == NOBODY else _address(event["secondLine"]),
            "thirdLine": None if _address(event["thirdLine"]) == NOBODY else _address(event["thirdLine"]),
        }

    def BeneficiariesEmailSync(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._edit(store, event, beneficiaries=list(map(_address, event["beneficiaries"])))

    def SecondLineEmailReset(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._edit(store, event, secondLine=None)

    def ThirdLineEmailReset(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._edit(store, event, thirdLine=None)

    def LegacyConfigReset(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        store["ReminderConfiguration"].pop(event["legacyAddress"], None)

    def TimelockCreated(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        key, vault = str(event["timelockId"]), log["address"]
        store["Timelock"].setdefault(
            key,
            {
                "id": key,
                "lockType": event["lockType"],
                "owner": event["owner"],
                "recipient": event["recipient"],
                "unlockTime": event["unlockTime"],
                "status": 2,
                "createdAt": timestamp,
            },
        )
        self._status(store, key, vault, 2)
        amounts = event.get("amounts") or [1] * len(event["tokenAddresses"])
        ids = event.get("tokenIds") or [None] * len(event["tokenAddresses"])
        for position, (token, number, amount) in enumerate(zip(event["tokenAddresses"], ids, amounts, strict=True)):
            asset = f"{key}-{vault}-{position}"
            store["TimelockAsset"][asset] = {
                "id": asset,
                "timelock": key,
                "vault": vault,
                "token": token,
                "tokenId": number,
                "amount": amount,
            }

    def SoftTimelockUnlocked(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        store["Timelock"][str(event["timelockId"])]["unlockTime"] = event["newUnlockTime"]

    def ChangeStatus(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._status(store, str(event["timelockId"]), log["address"], event["newStatus"])

    def FundsWithdrawn(self, store: Store, event: Entity, log: Any, timestamp: int) -> None:
        self._status(store, str(event["timelockId"]), log["address"], 3)

    TokensWithdrawn = FundsWithdrawn

    def _created(
        self, store: Store, event: Entity, router: str, kind: int, creator: str, owner: str, timestamp: int
    ) -> None:
        address = event["legacyAddress"]
        self._by_id[router, event["legacyId"]] = address
        store["Legacy"][address] = {
            "id": address,
            "router": router,
            "legacyId": event["legacyId"],
            "legacyType": kind,
            "creator": creator,
            "owner": owner,
            "createdAt": timestamp,
            "deleted": False,
        }

    def _edit(self, store: Store, event: Entity, **fields: Any) -> None:
        if event["legacyAddress"] in store["ReminderConfiguration"]:
            store["ReminderConfiguration"][event["legacyAddress"]] |= {"creator": event["user"], **fields}

    def _status(self, store: Store, key: str, vault: str, status: int) -> None:
        self._vaults.setdefault(key, {})[vault] = status
        if key in store["Timelock"]:
            store["Timelock"][key]["status"] = min(self._vaults[key].values())


def _address(person: Any) -> str:
    """Return the address; before 2026-06-02 an email and a name stood beside it."""
    address: str = person if isinstance(person, str) else person[0]
    return address


def _arguments(entry: Any, log: Any) -> Entity:
    indexed = [item for item in entry["inputs"] if item["indexed"]]
    others = [item for item in entry["inputs"] if not item["indexed"]]
    values = [
        abi_decode([item["type"]], bytes.fromhex(topic[2:]))[0]
        for item, topic in zip(indexed, log["topics"][1:], strict=True)
    ]
    values += abi_decode([collapse_if_tuple(item) for item in others], bytes.fromhex(log["data"][2:]))
    return {item["name"]: value for item, value in zip([*indexed, *others], values, strict=True)}


def _base(field: FieldDefinitionNode) -> tuple[str, bool]:
    """Return the name of the field's type, and if it is a list."""
    node: Any = field.type
    is_list = False
    while isinstance(node, NonNullTypeNode | ListTypeNode):
        is_list |= isinstance(node, ListTypeNode)
        node = node.type
    return node.name.value, is_list


def _written(field: FieldDefinitionNode) -> str:
    kind, is_list = _base(field)
    mark = "!" if isinstance(field.type, NonNullTypeNode) else ""
    return f"[{kind}!]{mark}" if is_list else f"{kind}{mark}"


def _filters(field: FieldDefinitionNode, entities: set[str]) -> str:
    name, (kind, is_list) = field.name.value, _base(field)
    kind = "String" if kind in entities else kind
    if is_list:
        return ""
    single = " ".join(f"{name}{end}: {kind}" for end in ("", "_gt", "_gte", "_lte"))
    return f"{single} {name}_in: [{kind}!]"


def _matches(row: Entity, where: Entity) -> bool:
    return all(_matches_one(row, key, wanted) for key, wanted in where.items())


def _matches_one(row: Entity, key: str, wanted: Any) -> bool:
    name, _, operator = key.partition("_")
    value = row[name]
    if operator == "in":
        return value in wanted
    compare = {"": eq, "gt": gt, "gte": ge, "lte": le}
    return bool(compare[operator](value, wanted))


def _bytes(value: Any) -> str:
    text = str(value).removeprefix("0x")
    bytes.fromhex(text)
    return "0x" + text.lower()


def _big_int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise GraphQLError("BigInt cannot represent this value")
    return int(value)
