// Generated from openapi.json by `npm run openapi`. A test fails if it is out of date.

export interface Customer {
  /** ID of the customer. */
  id: string;
  object: 'customer';
  /** When the customer was created. */
  created_at: string;
  /** E-mail address. Several customers can have the same address. */
  email: string;
  /** Whether the e-mail address is verified. */
  is_verified: boolean;
  /** When an API key narrowed to this customer was last used, to the minute. */
  last_seen_at: string | null;
  /** Name of the person or business. */
  name: string;
  /** Phone number. */
  phone: string | null;
  /** Number of tanks the customer owns. */
  tank_count: number;
  /** When a field of the customer last changed. Changes of `last_seen_at` and `tank_count` do not count. */
  updated_at: string;
  /** When the e-mail address was verified. Null if it is not verified, or if it was verified before an import. */
  verified_at: string | null;
}

export interface Tank {
  /** ID of the tank. */
  id: string;
  object: 'tank';
  /** Serial number of the device assigned to the tank, as the manufacturer writes it. */
  assigned_device_id: string;
  /** Total capacity, in `capacity_unit`. */
  capacity: number;
  /** Unit of `capacity`. */
  capacity_unit: 'liters' | 'gallons';
  /** When the tank was created. */
  created_at: string;
  /** The customer's own identifier for the tank. */
  custom_id: string | null;
  /** Location of the tank. All fields are always present. */
  location: {
    /** City. */
    city: string | null;
    /** Country. */
    country: string | null;
    /** District. */
    district: string | null;
    /** Latitude in degrees, positive to the north. */
    latitude: number | null;
    /** Longitude in degrees, positive to the east. */
    longitude: number | null;
    /** Postal code. */
    postal_code: string | null;
    /** Region or state. */
    region: string | null;
    /** Street. */
    street: string | null;
    /** House number. */
    street_number: string | null;
  };
  /** Alert threshold, in percent. At or below it, the tank is low. */
  min_fill_alert_percentage: number;
  /** Name of the tank. */
  name: string;
  /** ID of the customer who owns the tank. */
  owner_id: string;
  /** When a field of the tank last changed. New readings do not count. */
  updated_at: string;
  /** Use of the tank. */
  use_case: 'residential' | 'commercial' | 'industrial' | null;
}

export interface Telemetry {
  object: 'telemetry';
  /** When the device measured the fill level. */
  created_at: string;
  /** Fill level of the tank, in percent. */
  fill_percentage: number;
}

export interface Problem {
  /** URN of the kind of problem. It does not change. */
  type: string;
  /** The kind of problem, for people. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What happened and what to do. */
  detail: string;
  /** The kind of problem, for programs. Codes do not change. */
  code: string;
  /** ID of the request. Quote it when you ask for help. */
  request_id: string;
  /** All invalid parameters. */
  errors?: {
    /** Name of the parameter. */
    param: string;
    /** Error code, for programs. Codes do not change. */
    code: string;
    /** What is wrong and which values are valid, for people. */
    detail: string;
  }[];
}

/** A deleted object. */
export interface DeletedCustomer {
  id: string;
  object: 'customer';
  deleted: true;
}

/** A deleted object. */
export interface DeletedTank {
  id: string;
  object: 'tank';
  deleted: true;
}

/** One page of a list, with the totals of the whole list. */
export interface List<Item> {
  object: 'list';
  /** The objects of this page, at most `size`. Empty if the page is past the end. */
  data: Item[];
  /** Number of this page. */
  page: number;
  /** Maximum number of objects on a page. */
  size: number;
  /** Number of pages. 0 if no object matches. */
  total_pages: number;
  /** Number of objects that match, on all pages. */
  total_items: number;
}

export interface ListParameters {
  /** Return only objects created at or after this time. A time without Z or an offset is UTC. */
  created_at_gte?: Date | string | undefined;
  /** Return only objects created at or before this time. A time without Z or an offset is UTC. */
  created_at_lte?: Date | string | undefined;
  /** Number of the page to return. A page past the end is empty and has the correct totals. */
  page?: number | undefined;
  /** Maximum number of objects on a page. */
  size?: number | undefined;
}

export interface CustomerListParameters extends ListParameters {
  /** Return only customers with this e-mail address. Upper and lower case are different. */
  email?: string | undefined;
}
