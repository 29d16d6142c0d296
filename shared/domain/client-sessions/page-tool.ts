import * as z from 'zod';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { unixSeconds } from '../../core/time.ts';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';

/** A tool that a page executes. Everything in it is the visitor's. */
export interface PageTool {
  /** As the page names it. */
  name: string;
  description: string;
  parametersSchema: JsonSchema;
  /** `webmcp`: a tool of the page itself; `sdk`: one of the widget. */
  origin?: 'webmcp' | 'sdk' | undefined;
  /** Where the page found it. */
  pageOrigin?: string | undefined;
}

const prefix = 'webmcp:';

/** As `config.clientTools` of a token names it. */
const toListedName = ({ name, origin }: PageTool) =>
  origin === 'webmcp' && !name.startsWith(prefix) ? `${prefix}${name}` : name;

/** As a model gets it, before characters that providers refuse are replaced. */
export const pageToolModelName = (tool: PageTool) => toListedName(tool).replace(prefix, 'webmcp_');

/** The tools that a token allows: none, all (`true`), those with these names, or `webmcp:*` for all of the page itself. */
export function filterAllowedTools(
  { config }: Pick<ClientToken, 'config'>,
  tools: readonly PageTool[],
): PageTool[] {
  const { clientTools: allowed } = config;
  if (allowed === true) return [...tools];
  if (!Array.isArray(allowed)) return [];
  return tools.filter(
    (tool) =>
      allowed.includes(toListedName(tool)) ||
      (toListedName(tool).startsWith(prefix) && allowed.includes(`${prefix}*`)),
  );
}

/** The page sends them again when they are gone. */
const keptSeconds = 2 * 86_400;

/** The tools that a page sent last, so that it can send their fingerprint alone. */
export const pageToolSetEntity = defineEntity({
  type: 'clientPageTools',
  schema: z.object({
    hash: z.string(),
    /** Made by the page; compared as it is. */
    fingerprint: z.string(),
    tools: jsonText<PageTool[]>(),
    ttl: z.int(),
  }),
  key: ({ hash }: { hash: string }) => ({ PK: credentialPartition(hash), SK: 'CLIENT_TOOLS' }),
});

export interface GivenTools {
  tools?: readonly PageTool[] | undefined;
  fingerprint?: string | undefined;
}

export const pageToolSets = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => ({
  /** @returns undefined if a request neither sends nor names tools. @throws 409 if the session does not have the named set. */
  async resolve(hash: string, { tools, fingerprint }: GivenTools): Promise<readonly PageTool[] | undefined> {
    if (tools === undefined && fingerprint === undefined) return undefined;
    if (tools === undefined) {
      const stored = await table.get(pageToolSetEntity, { hash }, { consistent: true });
      if (stored?.fingerprint !== fingerprint) throw createUnknownToolsError();
      return stored?.tools;
    }
    const ttl = unixSeconds(now()) + keptSeconds;
    const set = { hash, fingerprint: fingerprint ?? '', tools: JSON.stringify(tools), ttl };
    const isKept = fingerprint !== undefined || tools.length === 0;
    if (isKept) await table.commit([table.writes.put(pageToolSetEntity, set)]);
    return tools;
  },
}));

const createUnknownToolsError = () =>
  new ServiceError(
    'CLIENT_TOOLS_RESEND_REQUIRED',
    'The session does not have the tools of this fingerprint. Send clientTools too',
  );
