import * as z from 'zod';
import { mapConcurrently } from '../../shared/core/concurrency/map-concurrently.ts';
import { ServiceError } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { inboxReader } from '../../shared/domain/run-waits/inbox-store.ts';
import { AnswerBody } from '../../shared/domain/run-waits/run-wait.ts';
import { inboxAnswers } from '../../shared/execution/run-waits/answer-inbox.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { unique } from '../../shared/platform/http/validation.ts';
import { answersWaits, GivenAnswer, listRunKinds } from './schemas.ts';

const atOnce = 8;

export const answerWaitsTogether = defineEndpoint({
  id: 'waits.answer-many',
  method: 'POST',
  path: '/v1/waits/answer',
  permission: answersWaits,
  summary: 'Answer several waits alike',
  description:
    'Gives up to 100 waits the same choice. Each is answered by itself: `results`, in the order of `ids`, have its answer or its error.',
  body: z
    .strictObject({
      ids: z.array(resourceId('wait')).min(1).max(100).check(unique),
      choice: AnswerBody.shape.choice,
      comment: AnswerBody.shape.comment,
    })
    .meta({ examples: [{ ids: ['wait_01k9m4v7d3x8qz5w2r6t0y1hbn'], choice: 'approve' }] }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        results: z.array(
          z.object({
            id: z.string(),
            answer: GivenAnswer.nullable(),
            error: z.object({ code: z.string(), message: z.string() }).nullable(),
          }),
        ),
      }),
    },
  },
  errors: [400],
  needs: { inbox: inboxReader, answer: inboxAnswers },

  async handle({ body: { ids, ...given }, principal, permissions }, { inbox, answer }) {
    const runKinds = listRunKinds(await permissions(), 'EXECUTE');
    const answerOne = async (id: string) => {
      try {
        return { id, answer: await answer(await inbox.find(id, runKinds), given, principal), error: null };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const message = error.details[0]?.message ?? error.message;
        return { id, answer: null, error: { code: error.code, message } };
      }
    };
    const results: Awaited<ReturnType<typeof answerOne>>[] = [];
    for await (const result of mapConcurrently(ids, atOnce, answerOne)) results.push(result);
    return { results: ids.flatMap((id) => results.find((each) => each.id === id) ?? []) };
  },
});

export const handler = toLambda(answerWaitsTogether);
