/** What is wrong with a JSON Schema of the document: a sentence without its subject's place. */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}
