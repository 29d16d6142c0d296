import * as z from 'zod';

/** A member of a type that it should not have is dropped: servers are careless, and no member is required. */
const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);
const text = lenient(z.string());
const texts = lenient(z.array(z.string()));
const flag = lenient(z.boolean());
const json = lenient(z.record(z.string(), z.unknown()));

const Skill = z.looseObject({
  id: text,
  name: text,
  description: text,
  inputModes: texts,
  outputModes: texts,
  inputSchema: json,
  outputSchema: json,
});

const lenientList = <S extends z.ZodType>(item: S) =>
  lenient(
    z.array(z.unknown()).transform((all) =>
      all.flatMap((one) => {
        const { success, data } = item.safeParse(one);
        return success ? [data as z.output<S>] : [];
      }),
    ),
  );

/** A card of an agent as it is shown. Other members are kept. */
export const AgentCard = z.looseObject({
  name: text,
  description: text,
  url: text,
  version: text,
  protocolVersion: text,
  iconUrl: text,
  provider: lenient(z.looseObject({ organization: text, url: text })),
  capabilities: lenient(
    z.looseObject({
      streaming: flag,
      pushNotifications: flag,
      statefulness: lenient(z.enum(['none', 'task', 'session'])),
    }),
  ),
  authentication: lenient(
    z.looseObject({
      type: lenient(z.enum(['bearer', 'api_key', 'none'])),
      bearerAuth: lenient(z.looseObject({ scopes: texts })),
      apiKeyAuth: lenient(z.looseObject({ headerName: text })),
    }),
  ),
  skills: lenientList(Skill),
});
export type AgentCard = z.output<typeof AgentCard>;

/** Where a card of A2A 1.0 says that its agent is reached. */
const Interfaces = lenientList(
  z.looseObject({ url: z.string(), protocolBinding: text, protocolVersion: text }),
);

/** Where a card of A2A 0.3 says it. */
const LegacyAddress = z.object({ url: text, protocolVersion: text, preferredTransport: text });

/** A security scheme: of A2A 0.3, with a `type`, or of 1.0, under the name of its kind. */
const Scheme = z.looseObject({
  type: text,
  scheme: text,
  in: text,
  name: text,
  apiKeySecurityScheme: lenient(z.looseObject({ location: text, name: text })),
  httpAuthSecurityScheme: lenient(z.looseObject({ scheme: text })),
  oauth2SecurityScheme: json,
  openIdConnectSecurityScheme: json,
});
const Schemes = lenient(z.record(z.string(), Scheme));

/** The card in one shape, whatever version of A2A it is of. */
export function parseAgentCard(value: Record<string, unknown>): AgentCard {
  const card = AgentCard.parse(value);
  const preferred = selectInterface(value);
  const authentication =
    card.authentication ?? findAuthentication(Schemes.parse(value.securitySchemes) ?? {});
  return dropUndefined({
    ...card,
    url: card.url ?? preferred?.url,
    protocolVersion: card.protocolVersion ?? preferred?.protocolVersion,
    authentication,
  });
}

export interface AgentAddress {
  url?: string | undefined;
  protocolBinding?: string | undefined;
  protocolVersion?: string | undefined;
}

/** JSON-RPC, which all clients speak, if the agent has it. */
export function selectInterface(card: Record<string, unknown>): AgentAddress | undefined {
  const interfaces = Interfaces.parse(card.supportedInterfaces) ?? [];
  const ofOldCard = LegacyAddress.parse(card);
  const jsonRpc = interfaces.find(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  return jsonRpc ?? interfaces[0] ?? { ...ofOldCard, protocolBinding: ofOldCard.preferredTransport };
}

function findAuthentication(schemes: Record<string, z.output<typeof Scheme>>): AgentCard['authentication'] {
  for (const scheme of Object.values(schemes)) {
    const http =
      scheme.httpAuthSecurityScheme?.scheme ?? (scheme.type === 'http' ? scheme.scheme : undefined);
    const isToken = scheme.oauth2SecurityScheme ?? scheme.openIdConnectSecurityScheme;
    if (
      http?.toLowerCase() === 'bearer' ||
      isToken ||
      ['oauth2', 'openIdConnect'].includes(scheme.type ?? '')
    ) {
      return { type: 'bearer' };
    }
    const { location = scheme.in, name = scheme.name } = scheme.apiKeySecurityScheme ?? {};
    const isKey = scheme.apiKeySecurityScheme !== undefined || scheme.type === 'apiKey';
    if (isKey && location === 'header' && name) {
      return { type: 'api_key', apiKeyAuth: { headerName: name } };
    }
  }
  return undefined;
}

const dropUndefined = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
