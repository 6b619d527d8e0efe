"""Several things at once, as one: the first failure cancels the others and is raised as itself."""

import asyncio
from collections.abc import Awaitable
from typing import Any


async def together(*work: Awaitable[Any]) -> list[Any]:
    """Results in order. Unlike `asyncio.gather` nothing goes on in the background after a failure."""

    async def one(each: Awaitable[Any]) -> Any:
        return await each

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(each)) for each in work]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]
