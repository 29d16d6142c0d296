import type { ExposedItem, ExposedSurface } from '../../shared/domain/surfaces/exposed-item.ts';
import { openApiOperation, toComponents } from '../../shared/platform/http/openapi.ts';
import type { Components, Json } from '../../shared/platform/http/openapi-schemas.ts';
import { runDeclaration } from '../surface-runs/run-declaration.ts';

/** An OpenAPI 3.1 document of what one surface exposes, as if it were an API of its own. @param url Of the surface. */
export function surfaceDocument({ surface, exposed }: ExposedSurface, url: string) {
  const schemas: Components = new Map();
  const pointers = new Map<string, string>();
  for (const { item, capability } of exposed) {
    if (pointers.has(capability.id)) continue;
    const name = `${item.endpointSlug}-parameters`;
    const pointer = `#/components/schemas/${name}`;
    pointers.set(capability.id, pointer);
    schemas.set(name, movedTo(pointer, capability.parametersSchema ?? { type: 'object' }));
  }
  const paths = exposed.map((each) => {
    const parameters = { $ref: pointers.get(each.capability.id) };
    return [`/run/${each.item.endpointSlug}`, { post: runOf(each, parameters, schemas) }];
  });
  return {
    openapi: '3.1.0',
    info: { title: surface.name, version: '1.0.0' },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(paths),
    components: toComponents(schemas, 'A key of this surface, or an API key that may run products'),
  };
}

function runOf({ item, capability }: ExposedItem, parameters: Json, schemas: Components): Json {
  const { parameters: declared, responses } = openApiOperation(runDeclaration, schemas);
  return {
    operationId: item.endpointSlug,
    summary: item.exposedName ?? capability.capabilityName,
    description: item.exposedDescription ?? capability.capabilityDescription ?? capability.capabilityName,
    // Those of the path are in the address of the server.
    parameters: (declared as Json[]).filter(({ in: place }) => place === 'header'),
    requestBody: { required: true, content: { 'application/json': { schema: parameters } } },
    responses,
  };
}

/** A schema whose references to itself follow it to another place. */
const movedTo = (pointer: string, schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace(/^#(?=\/|$)/, pointer) : value,
  );
