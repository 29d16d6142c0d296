import * as z from 'zod';
import { inboxReader } from '../../shared/domain/run-waits/inbox-store.ts';
import { AnswerBody } from '../../shared/domain/run-waits/run-wait.ts';
import { inboxAnswers } from '../../shared/execution/run-waits/answer-inbox.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { answersWaits, GivenAnswer, listRunKinds, WaitParams } from './schemas.ts';

export const answerWait = defineEndpoint({
  id: 'waits.answer',
  method: 'POST',
  path: '/v1/waits/{id}/answer',
  permission: answersWaits,
  summary: 'Answer a wait',
  description:
    'The run goes on, in the background. A question of a flow takes one of its `choices`, and `values` for its form; a tool approval `approve` or `reject`; a local tool its output as `values`. 422 for a callback, which only its address takes. Of several answers the first one counts: 409 for the others, after its time, and after the end of its run. Nobody needs a claim to answer.',
  params: WaitParams,
  body: z
    .strictObject({
      choice: AnswerBody.shape.choice.optional(),
      values: z.unknown().optional().meta({ description: AnswerBody.shape.values.description }),
      comment: AnswerBody.shape.comment,
    })
    .meta({ examples: [{ choice: 'approve', comment: 'Fine' }] }),
  response: {
    kind: 'json',
    bodies: { 200: GivenAnswer.extend({ id: z.string() }) },
  },
  errors: [400, 404, 409, 413, 422],
  needs: { inbox: inboxReader, answer: inboxAnswers },

  async handle({ params: { id }, body, principal, permissions }, { inbox, answer }) {
    const wait = await inbox.find(id, listRunKinds(await permissions(), 'EXECUTE'));
    return { id, ...(await answer(wait, body, principal)) };
  },
});

export const handler = toLambda(answerWait);
