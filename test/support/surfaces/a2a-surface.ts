import { randomUUID } from 'node:crypto';
import type { AgentCard, Message, Part, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import {
  Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { expectStatus, publishedFlow, template } from '../flows/flows.ts';
import { newTenant, stack, type Tenant } from '../stack/stack.ts';
import { addCapability, addItem, createProduct, createSurface } from './products.ts';

const greeting = template('Hello {{ person }}', 'greeting');

/** An active a2a surface with a skill `greet` that runs a published flow, and a live key of it. */
export async function a2aWorld(steps: object[] = [greeting], more: object = {}) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const { id: productId } = await createProduct(tenant, { name: 'Greeter' });
  const surface = await createSurface(tenant, productId, { type: 'a2a', status: 'active', ...more });
  const world = { tenant, flow, productId, surface };
  const { item, capability } = await addSkill(world, { capabilityName: 'Greet', flowId: flow.id });
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const key = await keyOfSurface(tenant, path, { environment: 'production' });
  return { ...world, item, capability, path, url: `${stack().url}${path}/a2a`, key };
}

export async function addSkill(
  {
    tenant,
    productId,
    surface,
  }: Pick<Awaited<ReturnType<typeof a2aWorld>>, 'tenant' | 'productId' | 'surface'>,
  given: object,
) {
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  return { capability, item };
}

export const keyOfSurface = async ({ call }: Tenant, path: string, body: object = {}) =>
  (await expectStatus(201, call('POST', `${path}/keys`, { body }))).key as string;

export type Protocol = ['JSONRPC' | 'HTTP+JSON', '1.0' | '0.3'];

/** What every operation is tried with. */
export const a2aProtocols: Protocol[] = [
  ['JSONRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '1.0'],
];

/** The official client. */
export async function a2aClient(url: string, key: string, [binding, version]: Protocol = ['JSONRPC', '1.0']) {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
  const card: AgentCard = {
    name: '',
    description: '',
    version: '',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: version, tenant: '' }],
    capabilities: { streaming: true, pushNotifications: true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    skills: [],
    signatures: [],
    defaultInputModes: [],
    defaultOutputModes: [],
  };
  const Factory = binding === 'JSONRPC' ? JsonRpcTransportFactory : RestTransportFactory;
  const factory = new Factory({ fetchImpl, legacyCompat: { enabled: true } });
  return new Client(await factory.create(url, card), card);
}

const part = (content: Part['content']): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
});
export const text = (value: string) => part({ $case: 'text', value });
export const data = (value: unknown) => part({ $case: 'data', value });

/** A message of the user. */
export const sending = (
  parts: Part[],
  { taskId = '', contextId = '', skillId }: { taskId?: string; contextId?: string; skillId?: string } = {},
  configuration: Partial<SendMessageRequest['configuration'] & object> = {},
): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    role: 1,
    parts,
    taskId,
    contextId,
    metadata: skillId === undefined ? undefined : { skillId },
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: false,
    ...configuration,
  },
  metadata: undefined,
});

const states = ['', 'submitted', 'working', 'completed', 'failed', 'canceled', 'input-required'];

export const taskIn = (answer: Message | Task): Task => {
  if ('messageId' in answer) throw new Error('A message instead of a task');
  return answer;
};

const contentOf = ({ content }: Part): unknown => content?.value;

/** What matters of a task. */
export const shownTask = (answer: Message | Task) => {
  const task = taskIn(answer);
  return {
    state: states[task.status?.state ?? 0],
    said: task.status?.message?.parts.map(contentOf),
    answer: task.artifacts.flatMap(({ parts }) => parts.map(contentOf)),
  };
};

/** What matters of the events of a stream. */
export async function shownEvents(events: AsyncIterable<StreamResponse>) {
  const shown: unknown[] = [];
  for await (const { payload } of events) {
    if (payload?.$case === 'task') shown.push(['task', states[payload.value.status?.state ?? 0]]);
    if (payload?.$case === 'statusUpdate') shown.push(['status', states[payload.value.status?.state ?? 0]]);
    if (payload?.$case === 'artifactUpdate') {
      const { append, lastChunk, artifact } = payload.value;
      shown.push(['answer', artifact?.parts.map(contentOf), { append, lastChunk }]);
    }
  }
  return shown;
}

/** By the card that the surface shows to everybody. */
export const clientByCard = (url: string, key: string, protocol: string) => {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(input, { ...init, headers });
  };
  const transports = [
    new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
    new RestTransportFactory({ fetchImpl, legacyCompat: { enabled: true } }),
  ];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports,
    preferredTransports: [protocol as never],
  });
  return new ClientFactory(options).createFromUrl(url, '');
};
