import { formTexts } from '../../texts/forms.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../forms/button.tsx';
import type { JsonSchema } from '../values/schema.ts';
import { initialValue } from './fields.ts';
import { useForm } from './form-context.ts';
import { joined } from './paths.ts';

interface Props {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  path: string;
  items: JsonSchema;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A list, item by item. */
export function ListField({ label, help, problem, path, items, value, onChange }: Props) {
  const { root, Field } = useForm();
  const list: unknown[] = Array.isArray(value) ? value : [];
  const put = (index: number, item: unknown) => onChange(list.with(index, item ?? ''));
  const remove = (index: number) => onChange(list.length === 1 ? undefined : list.toSpliced(index, 1));
  return (
    <fieldset>
      <legend>{label}</legend>
      {help && <p className="help">{help}</p>}
      {problem && <p className="problem">{problem}</p>}
      {list.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other identity
        <div key={index} className="list-item">
          <Field
            {...{ name: String(index), label: `${label} ${index + 1}`, path: joined(path, index) }}
            schema={items}
            value={item}
            onChange={(changed) => put(index, changed)}
            isRequired
          />
          <Button
            look="quiet"
            onPress={() => remove(index)}
            aria-label={formTexts.removeItem(label, index + 1)}
          >
            {sharedTexts.remove}
          </Button>
        </div>
      ))}
      <Button look="quiet" onPress={() => onChange([...list, initialValue(items, root) ?? ''])}>
        {sharedTexts.add}
      </Button>
    </fieldset>
  );
}
