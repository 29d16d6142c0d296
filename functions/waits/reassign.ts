import * as z from 'zod';
import { inboxReader, inboxWriter } from '../../shared/domain/run-waits/inbox-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { uniqueAddresses } from '../../shared/platform/http/validation.ts';
import { answersWaits, listRunKinds, toWaitView, WaitEntry, WaitParams } from './schemas.ts';

export const reassignWait = defineEndpoint({
  id: 'waits.reassign',
  method: 'POST',
  path: '/v1/waits/{id}/reassign',
  permission: answersWaits,
  summary: 'Ask others',
  description:
    'Replaces the assignees. Whoever was not asked yet gets a link to answer a question of a flow, or the address of an agent’s run in the console.',
  params: WaitParams,
  body: z
    .strictObject({ emails: z.array(z.email().max(320)).min(1).max(20).check(uniqueAddresses) })
    .meta({ examples: [{ emails: ['ada@example.com'] }] }),
  response: { kind: 'json', bodies: { 200: WaitEntry } },
  errors: [400, 404, 409],
  needs: { inbox: inboxReader, writer: inboxWriter },

  async handle({ params: { id }, body, permissions }, { inbox, writer }) {
    const held = await permissions();
    const wait = await inbox.find(id, listRunKinds(held, 'EXECUTE'));
    return toWaitView(await inbox.show(await writer.reassign(wait, body.emails)));
  },
});

export const handler = toLambda(reassignWait);
