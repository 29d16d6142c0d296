import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { AnswerBody, RunAnswer, toAnswerView } from '../../shared/domain/run-waits/run-wait.ts';
import { waitAnswers } from '../../shared/execution/run-waits/answer-wait.ts';
import { waitFinder } from '../../shared/execution/run-waits/find-wait.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RunParams } from './schemas.ts';

export const answerRun = defineEndpoint({
  id: 'runs.answer',
  method: 'POST',
  path: '/v1/runs/{id}/answer',
  permission: 'FLOWS:EXECUTE',
  summary: 'Answer a run that waits for approval',
  description:
    'Continues what an `approval` step has stopped. `{id}` is the run that waits, `exec_…` (of a record in a batch its `executionSessionId`), or a batch with the `recordId` in the body. The open questions are the `waits` of GET /v1/runs/{id}. Of several answers the first one counts; a later one, one after the time or after the end of the run gets a 409.',
  params: RunParams,
  body: AnswerBody.extend({
    stepId: z.string().min(1).max(1_000).meta({ description: 'The id of the step, or its `stepPath`' }),
    itemKey: z
      .string()
      .max(20)
      .optional()
      .meta({ description: 'The item of a map, as text. Needed while several items wait' }),
    recordId: resourceId('record').optional().meta({ description: 'If `{id}` is a batch' }),
  }),
  response: { kind: 'json', bodies: { 200: RunAnswer } },
  errors: [400, 404, 409, 413],
  needs: { find: waitFinder, answers: waitAnswers },

  async handle({ params: { id }, body, principal }, { find, answers }) {
    const { stepId, itemKey, recordId, ...waitAnswer } = body;
    const wait = await find({ id, stepId, itemKey, recordId });
    return toAnswerView(wait, await answers.approve(wait, waitAnswer, principal.keyId ?? principal.userId));
  },
});

export const handler = toLambda(answerRun);
