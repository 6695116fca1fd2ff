"""Native docx engine: WordprocessingML (ECMA-376) to Document."""
