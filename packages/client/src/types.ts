// Written by `npm run openapi` from openapi.json. A test fails when it is stale.

export interface Customer {
  /** Identifies the customer. */
  id: string;
  object: 'customer';
  /** When the customer was created. */
  created_at: string;
  /** E-mail address; two customers may share one. */
  email: string;
  /** Whether the e-mail address has been verified. */
  is_verified: boolean;
  /** Last use of a key narrowed to this customer, to the minute. */
  last_seen_at: string | null;
  /** Name of the person or the business. */
  name: string;
  /** Phone number. */
  phone: string | null;
  /** How many tanks the customer owns now. */
  tank_count: number;
  /** When a field of the customer last changed; activity and tank_count do not count. */
  updated_at: string;
  /** When the address was verified; null also where that happened before an import. */
  verified_at: string | null;
}

export interface Tank {
  /** Identifies the tank. */
  id: string;
  object: 'tank';
  /** Serial of the device on the tank, as its maker writes it. */
  assigned_device_id: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** When the tank was created. */
  created_at: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** Where the tank stands. Every key is always there. */
  location: {
    /** City. */
    city: string | null;
    /** Country. */
    country: string | null;
    /** District. */
    district: string | null;
    /** Degrees north. */
    latitude: number | null;
    /** Degrees east. */
    longitude: number | null;
    /** Postal code. */
    postal_code: string | null;
    /** Region or state. */
    region: string | null;
    /** Street. */
    street: string | null;
    /** Number in the street. */
    street_number: string | null;
  };
  /** A fill at or below this is low and alerts the customer. */
  min_fill_alert_percentage: number;
  /** Name of the tank. */
  name: string;
  /** The customer who owns the tank. */
  owner_id: string;
  /** When a field of the tank last changed; readings do not count. */
  updated_at: string;
  /** What the tank is used for. */
  use_case: 'residential' | 'commercial' | 'industrial' | null;
}

export interface Telemetry {
  object: 'telemetry';
  /** When the reading was taken. */
  created_at: string;
  /** Fill level of the tank, in percent. */
  fill_percentage: number;
}

export interface Problem {
  /** Identifies the kind of problem; stable. */
  type: string;
  /** The kind of problem, for people. */
  title: string;
  /** The HTTP status again. */
  status: number;
  /** What happened this time. */
  detail: string;
  /** The kind of problem, for programs; stable. */
  code: string;
  /** Quote it when you ask for help. */
  request_id: string;
  /** Every parameter that cannot be followed. */
  errors?: {
    /** Name of the parameter. */
    param: string;
    /** Stable, for programs. */
    code: string;
    /** What is wrong and what would be right, for people. */
    detail: string;
  }[];
}

/** What is left of one that was deleted. */
export interface DeletedCustomer {
  id: string;
  object: 'customer';
  deleted: true;
}

/** What is left of one that was deleted. */
export interface DeletedTank {
  id: string;
  object: 'tank';
  deleted: true;
}

/** One page of a list, with the totals of the whole. */
export interface List<Item> {
  object: 'list';
  /** At most `size` objects; empty when there are no more. */
  data: Item[];
  /** The page returned. */
  page: number;
  /** The page size in effect. */
  size: number;
  /** How many pages there are; 0 when nothing matches. */
  total_pages: number;
  /** How many objects match. */
  total_items: number;
}

export interface ListParameters {
  /** Only what was created at this time or later. Without Z or an offset it is UTC. */
  created_at_gte?: Date | string | undefined;
  /** Only what was created at this time or earlier. Without Z or an offset it is UTC. */
  created_at_lte?: Date | string | undefined;
  /** Which page to return. One past the end is empty, with the true totals. */
  page?: number | undefined;
  /** How many objects a page holds at most. */
  size?: number | undefined;
}

export interface CustomerListParameters extends ListParameters {
  /** Only customers with exactly this e-mail address; upper and lower case differ. */
  email?: string | undefined;
}
