import type { DocumentedApi } from './document.ts';

/** `src/operations.ts`: what the client knows when it runs. */
export function operationsModule({ operations }: DocumentedApi): string {
  const lines = operations.map(
    ({ operationId, operation }) => `'${operationId}': ${JSON.stringify(operation)},`,
  );
  return `// \`npm run docs\` writes this file from the declarations of the endpoints.
import type { Operation } from './operation.ts';

/** Every operation of the API by its id. */
export const operations = {
${lines.join('\n')}
} as const satisfies Record<string, Operation>;
`;
}
