import { clientSessionEntity } from '../../../shared/domain/client-sessions/client-session.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';
import { answerTo, lastEvent, openSession } from '../../support/surfaces/chat.ts';
import { createToken } from '../../support/surfaces/client-tokens.ts';

/** What no other visitor, and no refusal, may show. */
export const cardNumber = '4111 1111';

const origins = ['shop.example.com', '*.shops.example.com', 'dev.example.com:8443', 'münchen.example'];
const limits = { rateLimitPerMinute: 1_000, rateLimitPerHour: 10_000, maxMessagesPerSession: 1_000 };
const order = {
  name: 'place_order',
  description: 'Orders',
  toolType: 'custom',
  config: { code: 'return "ordered"' },
  parametersSchema: { type: 'object' },
};
const guarded = { tools: { runtimeTools: [order], approval: { require: ['place_order'] } } };
export const pageTool = { name: 'search', description: 'Searches', parametersSchema: { type: 'object' } };

async function side() {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, guarded);
  const unnamed = await createScriptedAgent(tenant, { model: 'generic-openai/mirror' });
  const config = { clientTools: true, approvals: true };
  const given = { agentIds: [agent.id], allowedOrigins: origins, config, ...limits };
  const { clientToken, token } = await createToken(tenant, given);
  const open = async () => (await expectStatus(200, openSession(token))).sessionId as string;
  return { tenant, agent, unnamed, given, clientToken, token: token as string, open };
}

/** A visitor with a message, a run that waits for the page, and one that waits for a decision. */
async function visitorOf(open: () => Promise<string>) {
  const [sessionId, decider] = [await open(), await open()];
  const tool = lastEvent(
    await answerTo(sessionId, scripted(calls(['search'], ['search']), { text: cardNumber }), {
      clientTools: [pageTool],
      assistantMessageId: 'a1',
    }),
  );
  const events = await answerTo(
    decider,
    scripted(calls(['place_order', { card: cardNumber }]), { text: 'ok' }),
  );
  const approvalId = events.find(({ type }) => type === 'approval_start')?.approvalId as string;
  return {
    sessionId,
    decider,
    executionId: tool.executionId,
    toolCallId: tool.toolCallId,
    approvedId: lastEvent(events).executionId,
    approvalId,
  };
}

/** Two tenants with visitors each, and tokens and sessions that must not work any more. */
export async function abuseWorld() {
  const [mine, theirs] = await Promise.all([side(), side()]);
  const { tenant, given, open } = mine;
  const mirror = await createToken(tenant, { ...given, agentIds: [mine.unnamed.id] });
  const made = async (change: (path: string) => Promise<unknown>) => {
    const { clientToken, token } = await createToken(tenant, given);
    const { sessionId } = await expectStatus(200, openSession(token));
    await change(`/v1/client-tokens/${clientToken.id}`);
    return { token: token as string, sessionId: sessionId as string };
  };
  const [inactive, regenerated, deleted] = await Promise.all([
    made((path) => tenant.call('PUT', path, { body: { isActive: false } })),
    made((path) => tenant.call('POST', `${path}/regenerate`)),
    made((path) => tenant.call('DELETE', path)),
  ]);
  const expired = await open();
  const { commit, writes } = countingRuntime().scopeOf(tenant.tenant).table;
  const past = { set: { expiresAt: '2020-01-01T00:00:00.000Z' } };
  await commit([writes.update(clientSessionEntity, { hash: hashKey(expired) }, past)]);
  const [visitor, foreigner, stranger] = [await visitorOf(open), await visitorOf(theirs.open), await open()];
  const { executionId: ofTenant } = await answered(run(tenant, mine.agent.id, 'hello'));
  const { conversations } = await expectStatus(200, tenant.call('GET', '/v1/conversations'));
  const conversationId = conversations.at(-1).id as string;
  return {
    mine,
    theirs,
    visitor,
    foreigner,
    stranger,
    expired,
    inactive,
    regenerated,
    deleted,
    ofTenant,
    mirror: mirror.token as string,
    conversationId,
  };
}
export type AbuseWorld = Awaited<ReturnType<typeof abuseWorld>>;
