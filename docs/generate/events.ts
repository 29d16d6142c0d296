import { groups } from '../../functions/index.ts';
import { openApi } from '../../shared/platform/http/openapi.ts';
import { eventExamples, eventMeanings, webhookExample } from './event-examples.ts';

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  properties?: Record<string, { const?: string; description?: string; items?: { enum?: string[] } }>;
  required?: string[];
  description?: string;
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** The streams of the API, by the schema of their events. */
const streams = [
  {
    schema: 'StreamEvent',
    title: 'Runs of flows and agents',
    about:
      'What you start with a key or a session. A flow has steps, an agent has turns; both have texts, tools and an end.',
  },
  {
    schema: 'SurfaceEvent',
    title: 'Callers of an api surface',
    about:
      'What the callers of your product see: the answer, without the steps, prompts and costs behind it.',
  },
  {
    schema: 'ClientEvent',
    title: 'Chat of a page',
    about:
      'What a web page with a client token sees. The ids of these events are longer texts: send the last one back as it is.',
  },
];

const nameOf = ({ $ref = '' }: Schema) => $ref.split('/').at(-1) ?? '';

export function documentOfApi() {
  return openApi(groups) as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
}

/** docs/events.md, from the schemas of the API. */
export function eventsDocument(): string {
  const { paths, components } = documentOfApi();
  const { schemas } = components;
  const shown = new Set<string>();
  const sections = streams.map(({ schema, title, about }) => {
    const names = (schemas[schema]?.oneOf ?? []).map(nameOf);
    const known = names.filter((name) => shown.has(name));
    const own = names.filter((name) => !shown.has(name));
    for (const name of own) shown.add(name);
    return `## ${title}

${about}

${operationsWith(paths, `${schema}Message`)
  .map((operation) => `- \`${operation}\``)
  .join('\n')}
${
  known.length > 0
    ? `\n${known.map((name) => `\`${typeOf(name, schemas)}\``).join(', ')} are those of [the runs](#${anchorOf(streams[0]?.title ?? '')}).\n`
    : ''
}
${own.map((name) => eventSection(name, schemas)).join('\n\n')}`;
  });
  return `# Events

\`npm run docs\` writes this document from the code.

A stream is \`text/event-stream\`: each message has \`event\` (the type), \`id\`, and \`data\`, one line of JSON. Every event has the
\`executionId\` of its run and \`seq\`, its number in the stream. Numbers grow; some may be missing. Ignore types and members that you
do not know: releases add some.

\`\`\`text
event: text_delta
id: 14
data: ${JSON.stringify(eventExamples.TextDeltaEvent)}
\`\`\`

- **A stream ends** with \`execution_complete\`, \`execution_error\`, or \`await\` if the run waits for something. A stream that ends without
  one of them was cut off.
- **After a lost connection** follow the run with \`GET …/events?after=<id of the last event>\`, or with the header \`Last-Event-ID\`. Texts of
  complete turns then come in one piece, that of the turn in progress as the model writes it, also of a run in the background.
- **A turn whose process is lost** ends with \`success: false\`, and begins again under another id, with numbers from the next million.
- **A run that failed has the status 200**: the response began before it failed. Look at \`success\`.
- **Without a stream** (\`"options": { "streamResponse": false }\`) the response is one JSON object at the end.
- Batches, schedules and conversations have no streams: poll \`GET /v1/batch/status/{id}\`, \`GET /v1/schedules/{id}/runs\` and
  \`GET /v1/conversations/{id}\`, or let a [webhook](#outgoing-webhooks) report the end.

${sections.join('\n\n')}

## MCP and A2A surfaces

\`POST …/mcp\` streams the messages of MCP: responses and progress notifications as JSON-RPC, in events of the type \`message\`.
\`SendStreamingMessage\` and \`SubscribeToTask\` of an a2a surface stream those of A2A: the task, its changes of state, and parts of its
artifacts. Conformance: [MCP](mcp-conformance.md), [A2A](a2a-conformance.md).

## Outgoing webhooks

A surface with \`outbound.webhook\` sends ${webhookEventsOf(schemas)
    .map((type) => `\`${type}\``)
    .join(' and ')}, signed as
[Standard Webhooks](https://www.standardwebhooks.com) describes, with retries for a day. \`webhook-id\` is the same in every attempt. An
output of more than 20,000 bytes is left out (\`"outputOmitted": true\`).

\`\`\`json
${JSON.stringify(webhookExample, null, 2)}
\`\`\`

## Events of flows

The step \`send-stream\` adds a \`custom\` event to the stream of its run. The step \`send-event\` puts an event on the event bus of the
deployment (Amazon EventBridge; \`GET /local/outbox\` of the embedded stack).
`;
}

const webhookEventsOf = (schemas: Record<string, Schema>) =>
  schemas.OutgoingWebhook?.properties?.events?.items?.enum ?? [];

const anchorOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');

const operationsWith = (paths: Record<string, Record<string, Operation>>, message: string): string[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { responses }]) =>
        Object.values(responses ?? {}).some(
          ({ content }) =>
            content?.['text/event-stream'] && nameOf(content['text/event-stream'].schema) === message,
        ),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );

const typeOf = (name: string, schemas: Record<string, Schema>) =>
  schemas[name]?.properties?.type?.const ?? name;

function eventSection(name: string, schemas: Record<string, Schema>): string {
  const { properties = {}, required = [] } = schemas[name] ?? {};
  const type = typeOf(name, schemas);
  const meaning = eventMeanings[type];
  const example = eventExamples[name];
  if (!meaning || !example) {
    throw new Error(
      `docs/generate/event-examples.ts lacks ${meaning ? `an example of ${name}` : `the meaning of ${type}`}`,
    );
  }
  const optional = Object.keys(properties).filter((member) => !required.includes(member));
  const described = Object.entries(properties).flatMap(([member, { description }]) =>
    description ? [`\`${member}\`: ${description}.`] : [],
  );
  const notes = [
    optional.length > 0 ? `Optional: ${optional.map((member) => `\`${member}\``).join(', ')}.` : '',
    ...described,
  ].filter(Boolean);
  return `### ${type}

${meaning}

\`\`\`json
${JSON.stringify(example)}
\`\`\`
${notes.length > 0 ? `\n${notes.join(' ')}` : ''}`.trimEnd();
}
