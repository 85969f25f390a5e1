"""The verbs for other programs: the schema of relation files for editors."""

from __future__ import annotations

import json

import click

__all__ = ["schema"]


@click.command(epilog="Example:  derive schema > relation-file.schema.json")
def schema() -> int:
    """Print the JSON schema of relation files, by which editors complete and check them."""
    from derive.relation_files.schema import schema as made

    click.echo(json.dumps(made(), indent=2, ensure_ascii=False))
    return 0
