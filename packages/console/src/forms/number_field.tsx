interface NumberFieldProps {
  label: string;
  unit: string;
  value: number;
  onChange: (value: string) => void;
}

/** A number that counts when the field is left. */
export function NumberField({ label, unit, value, onChange }: NumberFieldProps) {
  return (
    <label>
      <span className="meta">{label}</span>
      <span className="with-unit">
        <input
          type="number"
          min="0"
          key={value}
          defaultValue={value}
          onBlur={({ target }) => target.valueAsNumber !== value && onChange(target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
        {unit}
      </span>
    </label>
  );
}
