"""Chunks of lrdoc as documents of LangChain and nodes of LlamaIndex.

`Chunk.to_dict()` is all that an adapter needs. The classes are passed in, so this file imports neither package:

    from langchain_core.documents import Document
    documents = to_langchain(chunks, Document)

    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
    nodes = to_llama_index(chunks, TextNode, NodeRelationship, RelatedNodeInfo)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from lrdoc.chunkers.base import Chunk


def to_langchain(chunks: Iterable[Chunk], document_class: Callable[..., Any]) -> list[Any]:
    """LangChain documents; everything that leads back to the source is in `metadata`."""
    documents = []
    for chunk in chunks:
        row = chunk.to_dict()
        documents.append(document_class(id=row.pop("chunk_id"), page_content=row.pop("content"), metadata=row))
    return documents


def to_llama_index(
    chunks: Iterable[Chunk],
    node_class: Callable[..., Any],
    relationship: Any,
    related: Callable[..., Any],
) -> list[Any]:
    """LlamaIndex nodes in order, each knowing its neighbours and the document it came from."""
    nodes = []
    for chunk in chunks:
        row = chunk.to_dict()
        nodes.append(node_class(id_=row.pop("chunk_id"), text=row.pop("content"), metadata=row))
    for before, after in itertools.pairwise(nodes):
        before.relationships[relationship.NEXT] = related(node_id=after.id_)
        after.relationships[relationship.PREVIOUS] = related(node_id=before.id_)
    for node in nodes:
        source = node.id_.partition("-chunk-")[0]
        node.relationships[relationship.SOURCE] = related(node_id=source)
    return nodes
