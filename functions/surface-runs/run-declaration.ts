import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';
import { labelHeaders } from '../../shared/domain/runs/run-origin.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { SurfaceEvent, SurfaceResult } from '../../shared/protocols/surface/outward.ts';

/** The endpoint without its handler: the documents of surfaces describe it too. */
export const runDeclaration = {
  id: 'surface-runs.run',
  method: 'POST',
  path: '/v1/products/{id}/surfaces/{surfaceId}/run/{endpointSlug}',
  permission: 'authenticated',
  accepts: ['surface-key'],
  summary: 'Run an item of an api surface',
  description:
    'The body holds the parameters, which are checked against the schema of the capability. Responds with one JSON body at the end of the run, or with server-sent events for `Accept: text/event-stream`: the texts and the end of the run, not its steps, turns and tool calls. An API key or a session needs `PRODUCTS:EXECUTE`, or the EXECUTE permission of what it runs. A test key runs drafts. The headers `X-Run-Tags` and `X-Session-Id` label the run in GET /v1/runs. 403 also if the surface is paused, or is a draft and the key is no test key; 404 if the slug is unknown or disabled, or its flow or agent was deleted.',
  params: z.object({
    id: resourceId('product'),
    surfaceId: resourceId('surface'),
    endpointSlug: z.string().regex(/^[a-z0-9-]{1,100}$/),
  }),
  headers: StartHeaders.extend(labelHeaders),
  body: z.record(VariableName, z.unknown()).meta({ examples: [{ person: 'Ada' }] }),
  open: 'run',
  response: { kind: 'sse', events: SurfaceEvent, json: SurfaceResult },
  errors: [400, 402, 404, 422, 503],
} as const;
