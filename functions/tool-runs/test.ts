import * as z from 'zod';
import { toolExecutor } from '../../shared/execution/dispatch/tool-executor.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLastingLambda } from '../../shared/platform/http/lambda/lasting-lambda.ts';
import { AnyToolParams } from '../tools/schemas.ts';
import { reserveMs, ToolAnswerResponse, ToolRunOptions } from './schemas.ts';

export const testTool = defineEndpoint({
  id: 'tool-runs.test',
  method: 'POST',
  path: '/v1/tools/{id}/test',
  permission: 'TOOLS:EXECUTE',
  summary: 'Show what a tool would do',
  description:
    '`result.request` is what a run would send, with masked secrets, and `status` is `pending`: nothing is sent. With `execute: true` the tool also runs, and `result.output` is its result. Requires TOOLS:READ too, because it shows the config. Errors as for POST /v1/tools/{id}/execute.',
  params: AnyToolParams,
  body: z
    .strictObject({
      parameters: z.record(z.string(), z.unknown()).default({}),
      execute: z.boolean().default(false).meta({ description: 'Whether to run the tool' }),
      options: ToolRunOptions,
    })
    .meta({ examples: [{ parameters: { operation: 'now' }, execute: false }] }),
  open: ({ body }) => (body.execute ? 'run' : 'brief'),
  response: { kind: 'json', bodies: { 200: ToolAnswerResponse } },
  errors: [400, 404, 409],
  needs: { tools: toolExecutor },

  handle: ({ params, body, principal, signal, timeLeftMs }, { tools }) => {
    const { parameters, execute, options } = body;
    const timeMs = Math.max(1, timeLeftMs() - reserveMs);
    return tools.test({ toolId: params.id, principal, parameters, ...options, signal, timeMs }, execute);
  },
});

export const handler = toLastingLambda(testTool);
