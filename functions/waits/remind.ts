import { inboxReader, inboxWriter } from '../../shared/domain/run-waits/inbox-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { answersWaits, listRunKinds, toWaitView, WaitEntry, WaitParams } from './schemas.ts';

export const remindWait = defineEndpoint({
  id: 'waits.remind',
  method: 'POST',
  path: '/v1/waits/{id}/remind',
  permission: answersWaits,
  summary: 'Remind whoever is asked',
  description:
    'Sends the question again to its assignees, and to its webhook. 409 within an hour after any reminder, and if nobody is asked.',
  params: WaitParams,
  response: { kind: 'json', bodies: { 200: WaitEntry } },
  errors: [400, 404, 409],
  needs: { inbox: inboxReader, writer: inboxWriter },

  async handle({ params: { id }, permissions }, { inbox, writer }) {
    const held = await permissions();
    const wait = await inbox.find(id, listRunKinds(held, 'EXECUTE'));
    return toWaitView(await inbox.show(await writer.remind(wait)));
  },
});

export const handler = toLambda(remindWait);
