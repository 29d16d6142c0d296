import { useMemo, useState } from 'react';
import { useCall, usePages } from '../../api/queries.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Check } from '../../ui/forms/check.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { SearchBox } from '../../ui/forms/search-box.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import type { CustomField } from '../../ui/schema-form/form-context.ts';

type Props = Pick<CustomField, 'label' | 'value' | 'onChange' | 'problem'>;

/** Which tools an agent may call: built-in ones, those of the tenant, and others by their id. */
export function ToolsField({ label, value, onChange, problem }: Props) {
  const [search, setSearch] = useState('');
  const [other, setOther] = useState('');
  const builtin = useCall('GET /v1/tools/builtin');
  const own = usePages('GET /v1/tools', {}, { limit: 100 });
  const chosen = useMemo(() => new Set<string>(Array.isArray(value) ? value : []), [value]);
  const put = (id: string, isOn: boolean) => {
    const rest = [...chosen].filter((each) => each !== id);
    const next = isOn ? [...rest, id] : rest;
    onChange(next.length > 0 ? next : undefined);
  };
  const known = [
    ...(own.rows ?? []).map(({ id, name, description }) => ({ id, name, description })),
    ...(builtin.data?.data ?? []).map(({ id, ...tool }) => ({ ...tool, id: `builtin:${id}` })),
  ];
  const unknown = [...chosen]
    .filter((id) => !known.some((tool) => tool.id === id))
    .map((id) => ({ id, name: id, description: null }));
  const words = search.trim().toLowerCase();
  const shown = [...unknown, ...known].filter(
    ({ id, name, description }) => chosen.has(id) || `${name} ${description}`.toLowerCase().includes(words),
  );
  const error = builtin.error ?? own.error;
  return (
    <fieldset className="agents-tools">
      <legend>
        {label === 'Tool IDs' ? 'Tools' : label} ({chosen.size})
      </legend>
      {problem && <p className="problem">{problem}</p>}
      {error && <Failure error={error} />}
      <SearchBox label="Search tools" value={search} onChange={setSearch} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus */}
      <section className="agents-tool-list" tabIndex={0} aria-label="Tools to choose from">
        {shown.map(({ id, name, description }) => (
          <Check
            key={id}
            label={<bdi>{name}</bdi>}
            help={description && <bdi>{description}</bdi>}
            isOn={chosen.has(id)}
            onChange={(isOn) => put(id, isOn)}
          />
        ))}
        {own.hasNextPage && <Button onPress={() => own.fetchNextPage()}>Show more</Button>}
      </section>
      <div className="agents-other">
        <TextField label="Tool by ID" placeholder="mcp:server:tool" value={other} onChange={setOther} />
        <Button
          isDisabled={other.trim() === ''}
          onPress={() => {
            put(other.trim(), true);
            setOther('');
          }}
        >
          Add
        </Button>
      </div>
    </fieldset>
  );
}
