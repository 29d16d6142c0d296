import { lazy, Suspense } from 'react';
import { formTexts } from '../../texts/forms.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../forms/button.tsx';
import { CheckField } from '../forms/check.tsx';
import { Choice } from '../forms/choice.tsx';
import { TextField } from '../forms/field.tsx';
import { Loading } from '../loading/loaded.tsx';
import { isObject, type JsonSchema, withoutNull } from '../values/schema.ts';
import { initialValue, schemaField } from './fields.ts';
import { type FieldProps, useForm } from './form-context.ts';
import { fieldHelp } from './help.ts';
import { toLabel } from './labels.ts';
import { MembersFields } from './members.tsx';
import { NumberField } from './number-field.tsx';
import { joined } from './paths.ts';
import { VariantField } from './variant-field.tsx';

const JsonField = lazy(async () => ({ default: (await import('./json-field.tsx')).JsonField }));

/** One member of a form. */
export function FieldFor(props: FieldProps) {
  const { name, path, value, onChange, isRequired, staysSet = false } = props;
  const { root, problems, custom } = useForm();
  const schema = withoutNull(props.schema, root);
  const problem = problems[path];
  const label = props.label ?? schema.title ?? toLabel(name);
  const drawn = custom({ path, name, label, schema, value, onChange, problem });
  if (drawn !== undefined) return drawn;
  const help = fieldHelp(schema);
  const field = schemaField(schema, root);
  const common = { label, help, problem, value, onChange };
  switch (field.kind) {
    case 'const':
      return null;
    case 'choice':
      return (
        <Choice
          label={label}
          help={help}
          problem={problem}
          value={String(value ?? '')}
          onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
          options={[
            ...((isRequired || staysSet) && value !== undefined
              ? []
              : [{ value: '', label: formTexts.notSet }]),
            ...field.values.map((each) => ({ value: each, label: toLabel(each) })),
          ]}
        />
      );
    case 'text':
      return (
        <TextField
          label={label}
          help={help}
          problem={problem}
          isRequired={isRequired}
          value={typeof value === 'string' ? value : ''}
          onChange={onChange}
          {...(field.isLong && { lines: 3 })}
          {...(field.isSecret && { type: 'password', autoComplete: 'off' })}
        />
      );
    case 'number':
      return <NumberField {...common} isRequired={isRequired} {...field} />;
    case 'yes-no':
      return (
        <CheckField label={label} help={help} isOn={(value ?? schema.default) === true} onChange={onChange} />
      );
    case 'object':
      return (
        <fieldset>
          <legend>{label}</legend>
          {help && <p className="help">{help}</p>}
          {problem && <p className="problem">{problem}</p>}
          <MembersFields
            schema={field.schema}
            path={path}
            value={isObject(value) ? value : {}}
            onChange={onChange}
          />
        </fieldset>
      );
    case 'list':
      return <ListField {...common} path={path} items={field.items} />;
    case 'variants':
      return (
        <VariantField {...common} path={path} name={name} isRequired={isRequired} variants={field.variants} />
      );
    case 'json':
      return (
        <Suspense fallback={<Loading />}>
          <JsonField {...common} />
        </Suspense>
      );
  }
}

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
function ListField({ label, help, problem, path, items, value, onChange }: Props) {
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
            name={String(index)}
            label={`${label} ${index + 1}`}
            path={joined(path, index)}
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
