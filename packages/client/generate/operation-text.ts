import { type Described, type DocumentedApi, responseSchemas, successes } from './document.ts';
import { bracketed, commentText, memberText, refName, type Schema, schemaTypeText } from './type-text.ts';

/** The types of an operation: its request, response, events and items. */
export function operationText(
  described: DocumentedApi['operations'][number],
  schemas: DocumentedApi['schemas'],
): string {
  const { operationId, summary, operation } = described;
  const [event] = responseSchemas(described, 'text/event-stream');
  const response = responseText(described);
  return `${commentText(summary)}'${operationId}': {
request: {
${requestText(described)}
};
response: ${response};${event ? `\nevent: ${eventText(event, schemas)};` : ''}${
    operation.pages
      ? `\nitem: Extract<${response}, { '${operation.pages.items}': unknown }>['${operation.pages.items}'][number];`
      : ''
  }
};`;
}

function requestText({ parameters, requestBody }: Described): string {
  const partOf = (place: 'path' | 'query') => parameters.filter((parameter) => parameter.in === place);
  const [params, query] = [partOf('path'), partOf('query')];
  return [
    params.length > 0 && `params: {\n${params.map(({ name }) => `${name}: string;`).join('\n')}\n};`,
    query.length > 0 && queryText(query),
    requestBody && bodyText(requestBody),
  ]
    .filter(Boolean)
    .join('\n');
}

function queryText(query: Described['parameters']): string {
  const members = query.map(({ name, required, description, schema }) =>
    memberText(
      name,
      { ...schema, ...(description && { description }) },
      { isRequired: required, type: sentText(schema) },
    ),
  );
  const isRequired = query.some(({ required }) => required);
  return `query${isRequired ? '' : '?'}: {\n${members.join('\n')}\n}${isRequired ? '' : ' | undefined'};`;
}

/** A query has texts: a number may be one already, and a list has commas. */
function sentText(schema: Schema): string {
  if (schema.type === 'array') return `readonly ${bracketed(schemaTypeText(schema.items ?? {}))}[] | string`;
  const text = schemaTypeText(schema);
  return ['number', 'string'].includes(text) ? 'string | number' : text;
}

function bodyText({ required, content }: NonNullable<Described['requestBody']>): string {
  const [{ schema }] = Object.values(content) as [{ schema: Schema }];
  return required ? `body: ${schemaTypeText(schema)};` : `body?: ${schemaTypeText(schema)} | undefined;`;
}

/** The bodies of all statuses that are no errors. */
function responseText({ responses }: Described): string {
  const texts = Object.values(successes(responses)).flatMap(({ content }) =>
    content === undefined ? ['undefined'] : Object.entries(content).flatMap(bodyOfMediaType),
  );
  return [...new Set(texts)].join(' | ') || 'never';
}

function bodyOfMediaType([mediaType, { schema }]: [string, { schema: Schema }]): string[] {
  if (mediaType === 'text/event-stream') return [];
  return [
    mediaType === 'application/json'
      ? schemaTypeText(schema)
      : mediaType === 'application/octet-stream'
        ? 'Blob'
        : 'string',
  ];
}

/** A message of a stream has its event as JSON in the member `data`. */
function eventText({ $ref }: Schema, schemas: DocumentedApi['schemas']): string {
  const event = schemas[refName($ref ?? '')]?.properties?.data?.contentSchema;
  if (!event) throw new Error(`${$ref} has no event`);
  return schemaTypeText(event);
}
