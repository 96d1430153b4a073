package eventlog_test

const childEnv = "EVENTLOG_TEST_CHILD"

func runChild(string) int { return 0 }
