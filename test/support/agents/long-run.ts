import { sandbox } from '../../../shared/adapters/sandbox/sandbox.ts';
import type { AgentExecution } from '../../../shared/execution/agent-runs/agent-execution.ts';
import { toAgentListing } from '../../../shared/execution/agent-runs/agent-execution.ts';
import { agentToRun } from '../../../shared/execution/agent-runs/agent-input.ts';
import { runInBackground } from '../../../shared/execution/agent-runs/background-run.ts';
import { findExecution, loadRun, loadWholeRun } from '../../../shared/execution/agent-runs/run-log.ts';
import { startRun } from '../../../shared/execution/agent-runs/start-run.ts';
import { openPorts } from '../../../shared/execution/open-ports.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { brokenTable } from '../data/broken-table.ts';
import { byClock, countingRuntime, newTenant } from '../stack/stack.ts';
import { createScriptedAgent, scripted } from './agent-runs.ts';

/**
 * Runs an agent in this process for so many turns with three calls each, and kills it a number of times on the way.
 * @returns the requests and units that each turn took, in order, and those of each load.
 */
export async function runForLong({ turns, kills }: { turns: number; kills: number }) {
  const tenant = await newTenant();
  const calls = [1, 2, 3].map((value) => ({ name: 'calculator', arguments: { expression: `${value} + 1` } }));
  const script = scripted(...Array.from({ length: turns - 1 }, () => ({ toolCalls: calls })), {
    text: 'all done',
  });
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], maxToolCalls: 5_000 },
    loopConfig: { maxTurns: 1_000 },
  });
  const runtime = countingRuntime();
  const counted = runtime.scopeOf(tenant.tenant);
  const owner = { userId: tenant.userId, organizationId: null };
  const { execution } = await startRun(
    counted,
    {
      agent: await agentToRun(counted)(agent.id, { environment: 'production' }),
      messages: [{ role: 'user', content: script }],
      owner,
      permissions: [],
      surfaceType: 'api',
      background: true,
      timeoutMs: 86_400_000,
      origin: { trigger: { type: 'api' } },
    },
    sandbox(counted),
  );
  const portsFor = (scope: Scope) => (of: AgentExecution) =>
    openPorts(scope, { ...of, runId: of.id, listing: toAgentListing(of) });
  for (let kill = 0; kill < kills; kill++) {
    let left = Math.floor((1.7 * turns) / (kills + 1));
    const at = () => new Date(Date.now() + kill * 120_000);
    const table = brokenTable(tenant.tenant, {
      before: (command) => {
        if (/Put|Transact|Update/.test(command) && left-- <= 0) throw new Error('The process died');
      },
    }).at(at);
    const dying = { ...byClock(counted, at), table };
    await runInBackground(dying, execution.id, { timeMs: 600_000, portsFor: portsFor(dying) }).catch(
      () => {},
    );
  }
  const scope = byClock(counted, () => new Date(Date.now() + kills * 120_000));
  runtime.reset();
  await loadRun(scope, execution.id);
  const load = { requests: runtime.consumed.commands.length, units: runtime.consumed.capacityUnits };
  runtime.reset();
  const { log: before } = await loadWholeRun(scope, execution.id);
  runtime.reset();
  await runInBackground(scope, execution.id, { timeMs: 900_000, portsFor: portsFor(scope) });
  const rest = { requests: runtime.consumed.commands.length, units: runtime.consumed.capacityUnits };
  const { log, state } = await loadWholeRun(scope, execution.id);
  return {
    tenant,
    agent,
    execution: await findExecution(scope, execution.id),
    log,
    before,
    state,
    load,
    rest,
  };
}
