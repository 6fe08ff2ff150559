from tankwatch import get

tanks = get("/v1/tanks", size=1)
print(f"the newest of {tanks['total_items']} tanks was created at {tanks['data'][0]['created_at']}")
