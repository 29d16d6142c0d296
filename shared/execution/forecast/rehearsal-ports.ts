import type { Ports } from '../../adapters/ports/ports.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { modelNames } from '../../domain/model-configs/model-names.ts';
import { secretVersions } from '../../domain/secrets/secret-values.ts';
import { toolsPort } from '../../domain/tools/tool-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentVersionReader } from '../agent-runs/agent-version-reader.ts';

/** Fails whatever is called: a forecast reaches nothing outside. */
const closed = <Port extends object>(name: string): Port =>
  new Proxy({} as Port, {
    get: (_port, member) => () => {
      throw new Error(`A forecast must not call ${name}.${String(member)}`);
    },
  });

const refused = (name: string) => () => {
  throw new Error(`A forecast must not call ${name}`);
};

/**
 * The ports of a run, of which only those work that plan: they read what names mean, and run scripts. They read no key and
 * no value of a secret.
 */
export const rehearsalPorts = /* @__PURE__ */ using(
  [sandbox, modelNames, secretVersions, toolsPort, { memoryMb: 1_024 }],
  (scope: Scope): Ports => ({
    now: scope.now,
    shown: (text) => text,
    warn() {},
    secrets: secretVersions(scope),
    sandbox: sandbox(scope),
    tools: toolsPort(scope),
    model: { ...modelNames(scope), stream: refused('model.stream') },
    agents: { versionOf: agentVersionReader(scope), run: refused('agents.run') },
    embed: refused('embed'),
    fetch: refused('fetch'),
    searchAccount: refused('searchAccount'),
    records: closed('records'),
    vectors: closed('vectors'),
    memory: closed('memory'),
    assets: closed('assets'),
    messages: closed('messages'),
    mcp: closed('mcp'),
    a2a: closed('a2a'),
    flows: closed('flows'),
    waits: closed('waits'),
  }),
);
