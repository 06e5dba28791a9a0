import heddle.Heddle;

/** So many regions, in one of them, and events, with nothing in them. usage: UserStorm ANY COUNT */
public class UserStorm {
    public static void main(String[] arguments) {
        int n = Integer.parseInt(arguments[1]);
        Heddle.enter("whole");
        for (int i = 0; i < n; i++) {
            Heddle.enter("outer");
            Heddle.enter("inner");
            Heddle.event("event").with("step", i).emit();
            Heddle.leave("inner");
            Heddle.leave("outer");
        }
        Heddle.leave("whole");
        System.out.println(n);
    }
}
