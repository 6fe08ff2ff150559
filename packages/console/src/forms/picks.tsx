interface PicksProps<Option extends string> {
  options: readonly Option[];
  chosen: readonly Option[];
  textOf: (option: Option) => string;
  /** Gets the chosen options in the order of `options`. */
  onChange: (chosen: Option[]) => void;
}

/** Check boxes for a choice of several options. */
export function Picks<Option extends string>({ options, chosen, textOf, onChange }: PicksProps<Option>) {
  return (
    <div className="picks">
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              onChange(options.filter((one) => (one === option ? target.checked : chosen.includes(one))))
            }
          />
          <span>{textOf(option)}</span>
        </label>
      ))}
    </div>
  );
}
