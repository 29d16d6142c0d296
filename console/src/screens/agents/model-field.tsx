import { useId } from 'react';
import { useCall } from '../../api/queries.ts';

interface Props {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  problem?: string | undefined;
}

/** A model by name. The browser suggests those of the catalog, the ones with a key first. */
export function ModelField({ label = 'Model', value, onChange, problem }: Props) {
  const id = useId();
  const models = useCall('GET /v1/model-configs/available', {});
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
            {keyStatus === 'needs_setup' ? `${displayName} (needs a key)` : displayName}
          </option>
        ))}
      </datalist>
      <div id={`${id}-help`}>
        <span className="help">A model of the catalog, a model of the settings, or “default”.</span>
        {problem && <span className="problem">{problem}</span>}
      </div>
    </div>
  );
}

const rankOf = ({ keyStatus }: { keyStatus: string }) => (keyStatus === 'needs_setup' ? 1 : 0);
