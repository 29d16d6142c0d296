import { ShownModel } from '../../../run/models/shown-model.tsx';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Facts } from '../../../ui/tables/facts.tsx';
import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import { Value } from '../../../ui/values/value.tsx';
import { ToolBadges } from '../tools/tool-badges.tsx';
import { approvalIn, needsApproval } from '../tools/tool-effects.ts';
import { knownTool, useKnownTools } from '../tools/use-known-tools.ts';

/** What a published version is, to read. */
export function AgentVersionFacts({ number, config }: { number: number; config: JsonObject }) {
  const { known: knownTools } = useKnownTools();
  const tools = isObject(config.tools) && Array.isArray(config.tools.toolIds) ? config.tools.toolIds : [];
  const approval = approvalIn(config);
  return (
    <>
      <Facts
        of={[
          [sharedTexts.version, number],
          [sharedTexts.model, <ShownModel key="model" of={config.model} />],
        ]}
      />
      <p className="label agents-gap">{sharedTexts.instructions}</p>
      <Value of={config.systemPrompt ?? ''} label={sharedTexts.instructions} />
      <p className="label agents-gap">{agentTexts.toolsCount(tools.length)}</p>
      <ul className="agents-version-tools">
        {tools.map((id) => {
          const tool = knownTool(knownTools, String(id));
          return (
            <li key={tool.id}>
              <bdi>{tool.name}</bdi>
              <ToolBadges effect={tool.effect} needsApproval={needsApproval(approval, tool)} />
            </li>
          );
        })}
      </ul>
    </>
  );
}
