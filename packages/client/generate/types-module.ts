import { memberName } from '../src/operation.ts';
import type { DocumentedApi } from './document.ts';
import { operationText } from './operation-text.ts';
import { commentText, schemaTypeText } from './type-text.ts';

type Member = DocumentedApi['operations'][number];

/** `src/api.ts`: the types of all requests, responses and events, and of the client's groups. */
export function typesModule({ operations, schemas }: DocumentedApi): string {
  const named = Object.entries(schemas).map(
    ([name, schema]) => `${commentText(schema.description)}export type ${name} = ${schemaTypeText(schema)};`,
  );
  return `// \`npm run check\` writes this file from the declarations of the endpoints.
import type { Call, Iterates, Streams } from './methods.ts';

/** Every operation by its id, with its request and response. */
export interface Operations {
${operations.map((each) => operationText(each, schemas)).join('\n')}
}

export interface Groups {
${groupsText(operations)}
}

${named.join('\n\n')}
`;
}

function groupsText(operations: readonly Member[]): string {
  const groups = Map.groupBy(operations, ({ operationId }) => operationId.split('.')[0] ?? '');
  return [...groups]
    .map(
      ([group, members]) =>
        `${memberName(group)}: {\n${members.map(methodText).join('\n')}\n${shortcutsText(members)}};`,
    )
    .join('\n');
}

function methodText({ operationId, summary, operation: { stream, pages } }: Member): string {
  const kinds = [
    stream !== 'always' && `Call<'${operationId}'>`,
    stream && `Streams<'${operationId}'>`,
    pages && `Iterates<'${operationId}'>`,
  ];
  const name = memberName(operationId.split('.')[1] ?? '');
  return `${commentText(summary)}${name}: ${kinds.filter(Boolean).join(' & ')};`;
}

/** A group has the `stream` of its first operation that streams, and the `iterate` of its `list`. */
function shortcutsText(members: readonly Member[]): string {
  const streaming = members.find(({ operation }) => operation.stream);
  const listing = members.find(
    ({ operationId, operation }) => operationId.endsWith('.list') && operation.pages,
  );
  return [
    streaming && `stream: Streams<'${streaming.operationId}'>['stream'];\n`,
    listing && `iterate: Iterates<'${listing.operationId}'>['iterate'];\n`,
  ]
    .filter(Boolean)
    .join('');
}
