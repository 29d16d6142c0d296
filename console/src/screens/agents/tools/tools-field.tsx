import { useMemo, useState } from 'react';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { CheckField } from '../../../ui/forms/check.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { SearchBox } from '../../../ui/forms/search-box.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';
import { ToolBadges } from './tool-badges.tsx';
import { needsApproval } from './tool-effects.ts';
import { knownTool, useKnownTools } from './use-known-tools.ts';

interface Props extends Pick<CustomField, 'label' | 'value' | 'onChange' | 'problem'> {
  /** What needs an approval, as the config says it. */
  approval: boolean | readonly string[];
}

/** Which tools an agent may call, and what each may do: own ones, built-in ones, and others by their id. */
export function ToolsField({ label, value, onChange, problem, approval }: Props) {
  const [search, setSearch] = useState('');
  const { known: knownTools, error, hasNextPage, fetchNextPage } = useKnownTools();
  const chosen = useMemo(() => new Set<string>(Array.isArray(value) ? value : []), [value]);
  // By the first value, so that no row moves while somebody checks it.
  const [atFirst] = useState(chosen);
  const put = (id: string, isOn: boolean) => {
    const rest = [...chosen].filter((each) => each !== id);
    const next = isOn ? [...rest, id] : rest;
    onChange(next.length > 0 ? next : undefined);
  };
  const words = search.trim().toLowerCase();
  const others = [...chosen].filter((id) => !knownTools.some((tool) => tool.id === id));
  const shown = [...others.map((id) => knownTool(knownTools, id)), ...knownTools]
    .filter(
      ({ id, name, description }) => chosen.has(id) || `${name} ${description}`.toLowerCase().includes(words),
    )
    .toSorted((a, b) => Number(atFirst.has(b.id)) - Number(atFirst.has(a.id)));
  return (
    <fieldset className="agents-tools">
      <legend>
        {label === 'Tool IDs' ? sharedTexts.tools : label} ({chosen.size})
      </legend>
      {problem && <p className="problem">{problem}</p>}
      {error && <FailureNotice error={error} />}
      <SearchBox label={agentTexts.searchTools} value={search} onChange={setSearch} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus */}
      <section className="agents-tool-list" tabIndex={0} aria-label={agentTexts.toolsToChooseFrom}>
        {shown.map((tool) => (
          <div key={tool.id} className="agents-tool">
            <CheckField
              label={<bdi>{tool.name}</bdi>}
              help={tool.description && <bdi>{tool.description}</bdi>}
              isOn={chosen.has(tool.id)}
              onChange={(isOn) => put(tool.id, isOn)}
            />
            <ToolBadges
              effect={tool.effect}
              {...(chosen.has(tool.id) && { needsApproval: needsApproval(approval, tool) })}
            />
          </div>
        ))}
        {hasNextPage && <Button onPress={() => fetchNextPage()}>{sharedTexts.showMore}</Button>}
      </section>
      <OtherTool onAdd={(id) => put(id, true)} />
    </fieldset>
  );
}

function OtherTool({ onAdd }: { onAdd: (id: string) => void }) {
  const [id, setId] = useState('');
  return (
    <div className="agents-other">
      <TextField label={agentTexts.toolById} placeholder="mcp:server:tool" value={id} onChange={setId} />
      <Button
        isDisabled={id.trim() === ''}
        onPress={() => {
          onAdd(id.trim());
          setId('');
        }}
      >
        {sharedTexts.add}
      </Button>
    </div>
  );
}
