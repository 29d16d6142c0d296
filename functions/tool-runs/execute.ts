import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { toolExecutor } from '../../shared/execution/dispatch/tool-executor.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLastingLambda } from '../../shared/platform/http/lambda/lasting-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { AnyToolParams } from '../tools/schemas.ts';
import { reserveMs, ToolAnswerResponse, ToolRunOptions } from './schemas.ts';

export const executeTool = defineEndpoint({
  id: 'tool-runs.execute',
  method: 'POST',
  path: '/v1/tools/{id}/execute',
  permission: 'TOOLS:EXECUTE',
  summary: 'Run a tool',
  description: `Runs the tool. It is listed while it runs (GET /v1/runs, GET /v1/tools/{id}/executions), and GET /v1/runs/{executionId} shows its arguments and its result. A failure of the tool is a response with \`status: failed\` and an \`error\`. \`cancelled\`: somebody called POST /v1/runs/{executionId}/cancel; \`error\` says if it may have done something already. \`waiting_for_local\`: the caller executes the tool. 400 with the path if the arguments do not fit \`parametersSchema\` (the tool does not run then), 409 if the tool is not active. A tool has as long as the request, about 25 seconds.

A flow tool also requires FLOWS:EXECUTE; record tools require RECORDS:READ or RECORDS:WRITE. Secrets in the config of a stored tool require nothing more, as those of a stored flow: their values go only where the tool’s author sends them.`,
  params: AnyToolParams,
  headers: StartHeaders,
  body: z
    .strictObject({
      parameters: z.record(z.string(), z.unknown()),
      toolId: z.string().optional().meta({ description: 'If given, the id of the path' }),
      context: z
        .strictObject({
          userId: z.string().max(255).meta({ description: 'Ignored: the credential says who calls' }),
          flowExecutionId: z.string().max(255).optional(),
          stepId: z.string().max(255).optional(),
        })
        .optional()
        .meta({ description: 'Recorded with the execution' }),
      options: ToolRunOptions,
    })
    .meta({ examples: [{ parameters: { operation: 'now', timezone: 'Europe/Oslo' } }] }),
  open: 'run',
  response: { kind: 'json', bodies: { 200: ToolAnswerResponse } },
  errors: [400, 404, 409],
  needs: { tools: toolExecutor },

  handle({ params, body, principal, signal, timeLeftMs }, { tools }) {
    const { parameters, context, options, toolId = params.id } = body;
    if (toolId !== params.id)
      throw invalidAt('toolId', 'INVALID_VALUE', `Expected ${params.id}, as in the path`);
    const timeMs = Math.max(1, timeLeftMs() - reserveMs);
    return tools.execute({ toolId, principal, parameters, context, ...options, signal, timeMs });
  },
});

export const handler = toLastingLambda(executeTool);
