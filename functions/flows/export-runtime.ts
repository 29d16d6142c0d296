import * as z from 'zod';
import { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import { flowExporter } from '../../shared/domain/flows/sub-flows/export.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { FlowParams } from './response-schemas.ts';

export const exportFlowRuntime = defineEndpoint({
  id: 'flows.export-runtime',
  method: 'GET',
  path: '/v1/flows/{id}/export-runtime',
  permission: 'FLOWS:READ',
  summary: 'Export a flow for another runtime',
  description:
    'Returns the steps of the published version, or of the draft if no version is published. The export is self-contained: nothing has to be looked up later. It contains `secret:NAME` in place of each `{{secret:NAME}}`.',
  params: FlowParams,
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          id: z.string(),
          name: z.string(),
          description: z.string().nullable(),
          steps: z.array(FlowStep),
          flows: z
            .array(
              z.object({ id: z.string(), name: z.string(), versionId: z.string(), steps: z.array(FlowStep) }),
            )
            .optional()
            .meta({ description: 'The other flows that `flow` steps run, with those that these run' }),
        })
        .meta({ id: 'ExportedFlow' }),
    },
  },
  errors: [400, 404, 413],
  needs: { exportFlow: flowExporter },
  handle: ({ params }, { exportFlow }) => exportFlow(params.id),
});

export const handler = toLambda(exportFlowRuntime);
