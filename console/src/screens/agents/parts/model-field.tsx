import { useId } from 'react';
import { useCall } from '../../../api/queries.ts';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';

interface Props {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  problem?: string | undefined;
}

/** A model by name. The browser suggests those of the catalog, the ones with a key first. */
export function ModelField({ label = sharedTexts.model, value, onChange, problem }: Props) {
  const id = useId();
  const models = useCall('model-configs.available', {});
  const usable = models.data?.data.toSorted((a, b) => rankOf(a) - rankOf(b)) ?? [];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        list={`${id}-models`}
        autoComplete="off"
        placeholder="default"
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={`${id}-models`}>
        {usable.map(({ provider, modelId, displayName, keyStatus }) => (
          <option key={`${provider}/${modelId}`} value={`${provider}/${modelId}`}>
            {keyStatus === 'needs_setup' ? agentTexts.needsKey(displayName) : displayName}
          </option>
        ))}
      </datalist>
      <div id={`${id}-help`}>
        <span className="help">{agentTexts.aboutModelNames}</span>
        {problem && <span className="problem">{problem}</span>}
      </div>
    </div>
  );
}

const rankOf = ({ keyStatus }: { keyStatus: string }) => (keyStatus === 'needs_setup' ? 1 : 0);
