"""Who reads what: all handlers, put together."""

from __future__ import annotations

from uom.read.efcore import (
    calls,
    casts,
    conditions,
    creation,
    date_functions,
    ef_functions,
    groups,
    hints,
    includes,
    joins,
    members,
    names,
    number_functions,
    operators,
    patterns,
    projections,
    query_syntax,
    rows,
    set_operations,
    sets_of_context,
    statements,
    terminals,
    text_functions,
)
from uom.read.efcore.session import Tables

TABLES = Tables(
    expressions={
        **names.HANDLERS,
        **members.HANDLERS,
        **operators.HANDLERS,
        **conditions.HANDLERS,
        **casts.HANDLERS,
        **patterns.HANDLERS,
        **creation.HANDLERS,
        **calls.HANDLERS,
        **query_syntax.HANDLERS,
    },
    operators={
        **rows.OPERATORS,
        **projections.OPERATORS,
        **joins.OPERATORS,
        **groups.OPERATORS,
        **set_operations.OPERATORS,
        **terminals.OPERATORS,
        **includes.OPERATORS,
        **hints.OPERATORS,
        **sets_of_context.OPERATORS,
    },
    statics={
        **text_functions.STATICS,
        **number_functions.STATICS,
        **date_functions.STATICS,
        **ef_functions.STATICS,
    },
    instances={**text_functions.INSTANCES, **number_functions.INSTANCES, **date_functions.INSTANCES},
    members={**text_functions.MEMBERS, **date_functions.MEMBERS},
    static_members={
        **text_functions.STATIC_MEMBERS,
        **number_functions.STATIC_MEMBERS,
        **date_functions.STATIC_MEMBERS,
    },
    context_calls=sets_of_context.CONTEXT_CALLS,
    member=members.member,
    run=statements.run,
    matches=patterns.matches,
    operand=conditions.evaluate_operand,
)
