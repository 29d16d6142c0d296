import { formTexts } from '../../texts/forms.ts';
import { Choice } from '../forms/choice.tsx';
import { isObject, type JsonSchema } from '../values/schema.ts';
import { fitting, initialValue, variantIndex, variantLabel } from './fields.ts';
import { useForm } from './form-context.ts';

interface Props {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  name: string;
  path: string;
  variants: readonly JsonSchema[];
  value: unknown;
  onChange: (value: unknown) => void;
  isRequired: boolean;
}

const unset = '';

/** A value that has one of several forms: first which, then its fields. */
export function VariantField({
  label,
  help,
  problem,
  name,
  path,
  variants,
  value,
  onChange,
  isRequired,
}: Props) {
  const { root, Field } = useForm();
  const chosen = value === undefined || value === null ? unset : String(variantIndex(value, variants));
  const variant = variants[Number(chosen)];
  const options = variants.map((each, index) => ({ value: String(index), label: variantLabel(each) }));
  const choose = (index: string) => {
    const next = variants[Number(index)];
    const begun = next && (initialValue(next, root) ?? emptyOf(next));
    onChange(isObject(begun) ? { ...begun, ...fitting(value, next ?? {}, root) } : begun);
  };
  return (
    <div className="variant">
      <Choice
        label={label}
        help={help}
        problem={problem}
        value={chosen}
        options={[
          ...(isRequired && chosen !== unset ? [] : [{ value: unset, label: formTexts.notSet }]),
          ...options,
        ]}
        onChange={choose}
      />
      {chosen !== unset && variant && hasFields(variant) && (
        <Field
          key={chosen}
          name={name}
          path={path}
          value={value}
          onChange={onChange}
          label={variantLabel(variant)}
          schema={variant}
          isRequired
        />
      )}
    </div>
  );
}

/** False for one that is all said by its name, as `{ type: 'tenant' }`. */
const hasFields = ({ properties, additionalProperties }: JsonSchema) =>
  !properties ||
  additionalProperties === true ||
  Object.values(properties).some((member) => !('const' in member));

const emptyOf = ({ type }: JsonSchema) => ([type].flat().includes('object') ? {} : '');
